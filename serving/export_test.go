package serving

// Drain is how long the server drains.
const Drain = drain
