// Shows photos that others upload.
new EventSource("members/events").addEventListener("photo", event => {
	const link = document.createElement("a")
	link.href = "members/photos/" + encodeURIComponent(event.data)
	link.textContent = event.data
	document.getElementById("photos").appendChild(document.createElement("li")).append(link)
})
