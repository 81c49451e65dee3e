// Answers the outer page's request to exit: ends the content and sends everything first.

// `end` ends the content and pushes its last reports; it may be asynchronous.
export function onExit(connection, state, end) {
  window.addEventListener("message", async (event) => {
    if (event.source !== window.parent || event.data?.trilha !== "exit") return;
    await end();
    await connection.drain(4000);
    state.exited();
  });
}
