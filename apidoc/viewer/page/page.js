// Loads one format of the description and gives it to Swagger UI.
"use strict";

(async () => {
	const place = document.getElementById("description");
	const links = [...document.querySelectorAll("nav [data-url]")];
	const wanted = new URLSearchParams(location.search).get("format");
	const chosen = links.find(link => link.dataset.name === wanted) ?? links[0];
	chosen.setAttribute("aria-current", "page");
	document.getElementById("source").href = chosen.dataset.url;
	for (const link of links) {
		// The open operation stays open in the other format.
		link.addEventListener("click", () => { link.hash = location.hash; });
	}
	try {
		const response = await fetch(chosen.dataset.url);
		if (!response.ok) {
			throw new Error("the server responded with " + response.status);
		}
		show(await response.json());
	} catch (error) {
		const text = document.createElement("p");
		text.className = "note failure";
		text.setAttribute("role", "alert");
		text.textContent = "The description could not be loaded: " + error.message + ".";
		place.replaceChildren(text);
	}

	function show(description) {
		const title = document.body.dataset.title ?? description.info?.title;
		if (title) {
			document.title = title;
			description.info = {...description.info, title};
		}
		const theme = description.info?.["x-theme"];
		if (!document.documentElement.dataset.theme && (theme === "light" || theme === "dark")) {
			document.documentElement.dataset.theme = theme;
		}
		// The contract's format is Swagger 2.0 but for the name of the version.
		if (description.spec && !description.swagger) {
			description.swagger = description.spec;
			delete description.spec;
		}

		// Requests go to where this page was reached, two levels up. A proxy may have cut a prefix that the server doesn't know.
		const base = new URL("../..", document.baseURI).pathname.replace(/\/+$/, "");
		if (description.swagger) {
			description.basePath = base || "/";
		} else {
			description.servers = [{url: base || "/"}];
		}

		// Without anything to authorize for, the button would open an empty dialog.
		if (Object.keys(description.securityDefinitions ?? {}).length === 0) {
			delete description.securityDefinitions;
		}

		new MutationObserver(mend).observe(place, {childList: true, subtree: true});
		SwaggerUIBundle({
			domNode: place,
			spec: description,
			deepLinking: true,
			validatorUrl: null,
			defaultModelsExpandDepth: 0,
			presets: [SwaggerUIBundle.presets.apis],
			plugins: [plainLinks],
			layout: "BaseLayout",
		});
	}

	// plainLinks makes the path in an operation's button text: a link inside of a button cannot be reached.
	function plainLinks(system) {
		return {components: {DeepLink: ({text}) => system.React.createElement("span", null, text)}};
	}

	// mend gives names to what Swagger UI leaves without one for screen readers, lets the keyboard scroll what scrolls, and puts
	// headings one level up, so that the first is h1.
	function mend() {
		for (const heading of place.querySelectorAll("h2, h3, h4, h5")) {
			heading.setAttribute("aria-level", heading.tagName[1] - 1);
		}
		for (const row of place.querySelectorAll("[data-param-name], [data-property-name]")) {
			for (const field of row.querySelectorAll("input:not([type=checkbox]), select, textarea")) {
				name(field, row.dataset.paramName ?? row.dataset.propertyName);
			}
		}
		names("textarea", "Request body");
		names(".copy-to-clipboard button", "Copy");
		for (const button of place.querySelectorAll(".json-schema-2020-12-accordion, .model-box-control")) {
			if (button.textContent.trim() === "") {
				name(button, "Show or hide the schema");
			}
		}
		for (const image of place.querySelectorAll("img:not([alt])")) {
			image.alt = "The image in the response";
		}
		// A table that is a region is no table to a screen reader.
		for (const table of place.querySelectorAll("table[role=region]")) {
			table.removeAttribute("role");
		}
		for (const code of place.querySelectorAll("pre.microlight:not([tabindex])")) {
			code.tabIndex = 0;
		}
	}

	function names(selector, text) {
		for (const element of place.querySelectorAll(selector)) {
			name(element, text);
		}
	}

	function name(element, text) {
		if (!element.hasAttribute("aria-label")) {
			element.setAttribute("aria-label", text);
		}
	}
})();
