// Loads the description that is beside this page and gives it to Swagger UI.
"use strict";

(async () => {
	const place = document.getElementById("description");
	try {
		const answer = await fetch("../swagger.json");
		if (!answer.ok) {
			throw new Error("the server answered " + answer.status);
		}
		show(await answer.json());
	} catch (error) {
		const text = document.createElement("p");
		text.className = "failure";
		text.textContent = "The description could not be loaded: " + error.message + ".";
		place.replaceChildren(text);
	}

	function show(description) {
		document.title = description.info.title;

		// Calls go to where this page was reached, two levels up. The server may not know that address: a proxy may have cut a part.
		const base = new URL("../..", document.baseURI).pathname.replace(/\/+$/, "");
		if (base === "") {
			delete description.basePath;
		} else {
			description.basePath = base;
		}

		// Where there is nothing to authorize for, the button would open an empty dialog.
		if (Object.keys(description.securityDefinitions ?? {}).length === 0) {
			delete description.securityDefinitions;
		}

		SwaggerUIBundle({
			domNode: place,
			spec: description,
			deepLinking: true,
			validatorUrl: null,
			presets: [SwaggerUIBundle.presets.apis],
			layout: "BaseLayout",
		});
	}
})();
