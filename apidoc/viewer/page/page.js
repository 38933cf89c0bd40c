// Loads one format of the description and shows it with Swagger UI, whose script loads meanwhile.
"use strict";

(async () => {
	const loaded = new Promise(resolve => addEventListener("DOMContentLoaded", resolve));
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
		const description = await response.json();
		await loaded;
		show(description, apiOf(response));
	} catch (error) {
		const text = document.createElement("p");
		text.className = "note failure";
		text.setAttribute("role", "alert");
		text.textContent = "The description could not be loaded: " + error.message + ".";
		place.replaceChildren(text);
	}

	// apiOf returns the path of the API without a slash at the end. It follows from the address of the
	// description or of this page, since a proxy may have removed a prefix.
	function apiOf(response) {
		const [, link] = response.headers.get("Link")?.match(/<([^>]*)>; rel="describes"/) ?? [];
		const address = link ? new URL(link, response.url) : new URL("../..", document.baseURI);
		return address.pathname.replace(/\/+$/, "");
	}

	function show(description, api) {
		const title = document.body.dataset.title ?? description.info?.title;
		if (title) {
			document.title = title;
			description.info = {...description.info, title};
		}
		const theme = description.info?.["x-theme"];
		if (!document.documentElement.dataset.theme && (theme === "light" || theme === "dark")) {
			document.documentElement.dataset.theme = theme;
		}
		if (!description.swagger && !description.openapi) {
			description.swagger = "2.0"; // a further format, which Swagger UI refuses without a version
		}

		if (description.swagger) {
			description.basePath = api || "/";
		} else {
			description.servers = [{url: api || "/"}];
		}

		// Without security schemes the button would open an empty dialog.
		if (Object.keys(description.securityDefinitions ?? {}).length === 0) {
			delete description.securityDefinitions;
		}

		document.addEventListener("keydown", press);
		new MutationObserver(mend).observe(place, {childList: true, subtree: true});
		SwaggerUIBundle({
			domNode: place,
			spec: description,
			deepLinking: true,
			validatorUrl: null,
			defaultModelsExpandDepth: 0,
			presets: [SwaggerUIBundle.presets.apis],
			plugins: [plainLinks, exactJSON],
			layout: "BaseLayout",
		});
	}

	// plainLinks turns the link in an operation's button into text: the keyboard cannot reach it.
	function plainLinks(system) {
		return {components: {DeepLink: ({text}) => system.React.createElement("span", null, text)}};
	}

	// exactJSON shows the text of JSON in a response. Swagger UI would parse it, and round integers
	// beyond 2⁵³.
	function exactJSON({React}) {
		const wrap = Original => props => {
			const {content, contentType, headers, getComponent} = props;
			const isFile = /attachment/i.test(headers?.["content-disposition"]);
			if (typeof content !== "string" || !/json/i.test(contentType) || isFile || !isJSON(content)) {
				return React.createElement(Original, props);
			}
			const code = {language: "json", downloadable: true, fileName: "response.json", canCopy: true};
			return React.createElement("div", null,
				React.createElement("h5", null, "Response body"),
				React.createElement(getComponent("HighlightCode", true), code, indented(content)));
		};
		return {wrapComponents: {responseBody: wrap}};
	}

	function isJSON(text) {
		try {
			JSON.parse(text);
			return true;
		} catch {
			return false;
		}
	}

	// indented changes only the white space of a JSON text.
	function indented(text) {
		let line = "\n";
		const tokens = /"(?:[^"\\]|\\.)*"|\{\s*\}|\[\s*\]|[{}[\],:]|\s+/g;
		return text.replace(tokens, token => {
			switch (token) {
			case "{": case "[":
				line += "  ";
				return token + line;
			case "}": case "]":
				line = line.slice(0, -2);
				return line + token;
			case ",":
				return "," + line;
			case ":":
				return ": ";
			}
			return token.startsWith("\"") ? token : token.replace(/\s/g, "");
		});
	}

	// press makes keys work like clicks on elements that are not buttons, and closes the dialog.
	function press(event) {
		if (event.key === "Escape") {
			place.querySelector(".close-modal")?.click();
		} else if (event.target.matches("div[role=button], a[role=button]") && (event.key === "Enter" || event.key === " ")) {
			event.preventDefault();
			event.target.click();
		}
	}

	// mend adds names for screen readers where Swagger UI has none, makes elements usable by
	// keyboard, and corrects the levels of headings.
	function mend() {
		for (const heading of place.querySelectorAll("h2, h3, h4, h5, h6")) {
			if (!heading.closest(".markdown, .renderedMarkdown")) {
				heading.setAttribute("aria-level", level(heading));
			}
		}
		for (const row of place.querySelectorAll("[data-param-name], [data-property-name]")) {
			for (const field of row.querySelectorAll("input:not([type=checkbox]), select, textarea")) {
				name(field, row.dataset.paramName ?? row.dataset.propertyName);
			}
		}
		names("textarea", "Request body");
		names(".examples-select-element", "Examples");
		names(".copy-to-clipboard button", "Copy");
		names(".close-modal", "Close");
		for (const button of place.querySelectorAll(".json-schema-2020-12-accordion, .model-box-control")) {
			if (button.textContent.trim() === "") {
				name(button, "Show or hide the schema");
			}
		}
		for (const image of place.querySelectorAll("img:not([alt])")) {
			image.alt = "The image in the response";
		}
		// Here the labels and texts are better names.
		for (const named of place.querySelectorAll(".modal-ux [aria-label]:not(.close-modal)")) {
			named.removeAttribute("aria-label");
		}
		for (const dialog of place.querySelectorAll(".modal-ux:not([role])")) {
			dialog.setAttribute("role", "dialog");
			dialog.setAttribute("aria-modal", "true");
			dialog.setAttribute("aria-labelledby", dialog.querySelector("h3").id = "dialog-title");
		}
		for (const element of place.querySelectorAll(".tab-item:not([role]), .scopes h2 a:not([role])")) {
			element.setAttribute("role", "button");
			element.tabIndex = 0;
		}
		// A screen reader does not treat a region as a table.
		for (const table of place.querySelectorAll("table[role=region]")) {
			table.removeAttribute("role");
		}
		for (const code of place.querySelectorAll("pre.microlight:not([tabindex])")) {
			code.tabIndex = 0;
		}
	}

	// level returns a heading's level.
	function level(heading) {
		if (heading.matches(".title")) {
			return 1;
		}
		if (heading.closest(".modal-ux")) {
			return {H3: 2, H4: 3}[heading.tagName] ?? 4;
		}
		if (heading.closest(".opblock")) {
			return heading.tagName === "H5" ? 4 : 3;
		}
		return 2;
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
