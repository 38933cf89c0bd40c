"use strict";

// The page sends requests like any client of the API, and shows them.
addEventListener("DOMContentLoaded", () => {
	const $ = (selector, root = document) => root.querySelector(selector);

	// send requests a relative URL, and shows the request and the response's status in box.
	async function send(box, url, signal) {
		performance.clearResourceTimings(); // the browser keeps only the first 250
		const begin = performance.now();
		const response = await fetch(url, {signal});
		const body = await response.text();
		// From the request to the last byte, without the time in which the page itself is busy.
		const timing = performance.getEntriesByName(response.url).at(-1);
		const took = (timing ? timing.responseEnd - timing.requestStart : performance.now() - begin).toFixed(1);
		box.hidden = false;
		$(".sent", box).textContent = "GET " + new URL(url, document.baseURI).pathname + new URL(url, document.baseURI).search;
		$(".status", box).textContent = response.status + " in " + took + " ms";
		$(".status", box).classList.toggle("failed", !response.ok);
		return {ok: response.ok, body};
	}

	function item(child, none) {
		const li = document.createElement("li");
		li.className = none ? "none" : "";
		li.append(child);
		return li;
	}

	// Search: a new request aborts the previous one.
	const found = $("#found"), name = $("#name");
	let pending = new AbortController();
	async function search() {
		pending.abort();
		pending = new AbortController();
		const query = name.value ? "?" + new URLSearchParams({name: name.value}) : "";
		try {
			const {ok, body} = await send(found, "flowers/" + query, pending.signal);
			const flowers = ok ? JSON.parse(body) : [];
			$(".body", found).textContent = ok ? JSON.stringify(flowers, null, 2) : body;
			$(".names", found).replaceChildren(...flowers.map(flower => {
				const a = document.createElement("a");
				a.href = "flowers/" + encodeURIComponent(flower.slug);
				a.append(flower.name);
				return item(a);
			}));
			if (flowers.length === 0) {
				$(".names", found).append(item("No flower has this in its name.", true));
			}
		} catch (error) {
			if (error.name !== "AbortError") {
				$(".status", found).textContent = error.message;
			}
		}
	}
	name.addEventListener("input", search);
	$("#search").addEventListener("submit", event => { event.preventDefault(); search(); });
	search();

	// The steps of the coffee demo. The list's markup is read as text.
	const told = $("#told");
	const lines = html => new DOMParser().parseFromString(html.replaceAll("<br />", "\n"), "text/html").body.textContent
		.split("\n").map(line => line.trim()).filter(line => line);
	for (const form of document.querySelectorAll("#steps form")) {
		form.addEventListener("submit", async event => {
			event.preventDefault();
			try {
				const {body} = await send(told, form.getAttribute("action"));
				$(".body", told).textContent = body;
			} catch (error) {
				told.hidden = false;
				$(".body", told).textContent = error.message;
			}
			refresh();
		});
	}

	// The state of the database and the pool, once a second while the page is visible.
	async function refresh() {
		try {
			const now = await (await fetch("live")).json();
			$("#live").hidden = false;
			$(".coffees").replaceChildren(...(now.ok ? lines(now.list).map(line => item(line)) : [item(now.list, true)]));
			if (!$(".coffees").firstChild) {
				$(".coffees").append(item("The tables are empty.", true));
			}
			for (const figure of document.querySelectorAll("[data-figure]")) {
				figure.textContent = now[figure.dataset.figure];
			}
		} catch {
			$("#live").hidden = true; // the host has ended
		}
	}
	setInterval(() => { if (!document.hidden) refresh(); }, 1000);
	refresh();
});
