// The page around the frame asks before it goes: what is open ends first, and everything is sent.

// `end` may be asynchronous: it ends what is open, and pushes what is left to say.
export function onExit(connection, state, end) {
  window.addEventListener("message", async (event) => {
    if (event.source !== window.parent || event.data?.trilha !== "exit") return;
    await end();
    await connection.drain(4000);
    state.exited();
  });
}
