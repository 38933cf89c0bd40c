// Says that somebody has booked meanwhile.
const live = document.getElementById("live")
new EventSource(live.dataset.events).addEventListener("booking", () => { live.hidden = false })
