// A canvas to draw a signature on. The strokes are kept in a hidden field, in a grid of 600 by 200 points.
if (!customElements.get("signature-pad")) customElements.define("signature-pad", class extends HTMLElement {
  connectedCallback() {
    this.input = this.querySelector("input");
    this.canvas = this.querySelector("canvas");
    this.foot = this.querySelector(".pad__foot");
    this.status = this.foot.querySelector("[role=status]");
    this.pen = this.canvas.getContext("2d");
    this.canvas.hidden = this.foot.hidden = false;
    try { this.strokes = JSON.parse(this.input.value || "[]"); } catch { this.strokes = []; }
    this.canvas.addEventListener("pointerdown", (event) => this.begin(event));
    this.canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"]) this.canvas.addEventListener(name, () => this.end());
    this.foot.querySelector("button").addEventListener("click", () => this.clear());
    // A page that the back button shows again may have another form.
    this.closest("form")?.addEventListener("reset", () => this.clear());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.paint());
    this.paint();
  }
  point(event) {
    const box = this.canvas.getBoundingClientRect();
    const within = (value, most) => Math.max(0, Math.min(most, Math.round(value)));
    return [within((event.clientX - box.left) / box.width * 600, 600), within((event.clientY - box.top) / box.height * 200, 200)];
  }
  get points() { return this.strokes.reduce((sum, stroke) => sum + stroke.length, 0); }
  begin(event) {
    if (event.button || this.stroke || this.strokes.length >= 200 || this.points > 12000) return;
    event.preventDefault();
    this.canvas.focus({ preventScroll: true });
    this.canvas.setPointerCapture(event.pointerId);
    this.stroke = this.point(event);
    this.strokes.push(this.stroke);
    this.paint();
  }
  move(event) {
    if (!this.stroke) return;
    const [x, y] = this.point(event);
    const last = this.stroke.slice(-2);
    if (Math.hypot(x - last[0], y - last[1]) < 2 || this.stroke.length >= 3998 || this.points > 12000) return;
    this.stroke.push(x, y);
    this.paint();
  }
  end() {
    if (!this.stroke) return;
    this.stroke = null;
    this.keep();
  }
  clear() {
    this.strokes = [];
    this.stroke = null;
    this.keep();
    this.paint();
  }
  keep() {
    this.input.value = this.strokes.length ? JSON.stringify(this.strokes) : "";
    this.status.textContent = this.strokes.length ? this.dataset.done : this.dataset.empty;
    this.dispatchEvent(new Event("change", { bubbles: true }));
  }
  paint() {
    const pen = this.pen;
    pen.clearRect(0, 0, 600, 200);
    pen.strokeStyle = getComputedStyle(this.canvas).color;
    pen.lineWidth = 3;
    pen.lineCap = pen.lineJoin = "round";
    for (const stroke of this.strokes) {
      pen.beginPath();
      pen.moveTo(stroke[0], stroke[1]);
      pen.lineTo(stroke[0], stroke[1]);
      for (let n = 2; n < stroke.length; n += 2) pen.lineTo(stroke[n], stroke[n + 1]);
      pen.stroke();
    }
    this.status.textContent = this.strokes.length ? this.dataset.done : this.dataset.empty;
  }
});
