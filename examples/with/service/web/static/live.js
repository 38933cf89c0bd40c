// Says that somebody has booked meanwhile.
const live = document.getElementById("live")
new EventSource(live.dataset.events).addEventListener("change", () => { live.hidden = false })
