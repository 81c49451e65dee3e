// What the server has made the page with.
export const launch = JSON.parse(document.getElementById("launch").textContent);
