// Takes a photo that shows one face. The model is loaded once the camera is started; without a model, a service on the
// other side finds the face.
customElements.define("identity-photo", class extends HTMLElement {
  connectedCallback() {
    this.video = this.querySelector("video");
    this.form = this.querySelector("form");
    this.start = this.querySelector("[data-start]");
    this.start.addEventListener("click", () => this.begin());
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.take().catch(() => this.tell("failed"));
    });
  }
  disconnectedCallback() {
    this.stop();
  }
  async begin() {
    this.tell("loading");
    try {
      const video = { facingMode: "user", width: { ideal: 640 }, height: { ideal: 480 } };
      this.stream = await navigator.mediaDevices.getUserMedia({ video, audio: false });
      this.video.srcObject = this.stream;
      this.video.hidden = false;
      await this.video.play();
    } catch {
      this.stop();
      this.tell("refused");
      return;
    }
    try {
      await this.load();
    } catch {
      this.stop();
      this.tell("failed");
      return;
    }
    this.start.hidden = true;
    this.form.hidden = false;
    this.tell("");
  }
  async load() {
    if (!this.dataset.library) return;
    const model = await import(this.dataset.library);
    await model.tf?.setBackend("webgl").catch(() => false) || await model.tf?.setBackend("cpu");
    await model.tf?.ready();
    for (const name of ["tinyFaceDetector", "faceLandmark68Net", "faceRecognitionNet"]) {
      await model.nets[name].loadFromUri(this.dataset.models);
    }
    this.model = model;
  }
  async take() {
    this.tell("loading");
    const canvas = document.createElement("canvas");
    canvas.width = Math.min(this.video.videoWidth, 640);
    canvas.height = Math.round(this.video.videoHeight * canvas.width / this.video.videoWidth);
    canvas.getContext("2d").drawImage(this.video, 0, 0, canvas.width, canvas.height);
    const fields = this.form.elements;
    if (this.model) {
      const options = new this.model.TinyFaceDetectorOptions({ inputSize: 416, scoreThreshold: 0.5 });
      const faces = await this.model.detectAllFaces(canvas, options).withFaceLandmarks().withFaceDescriptors();
      if (faces.length !== 1) return this.tell(faces.length ? "several" : "nobody");
      fields.descriptor.value = JSON.stringify([...faces[0].descriptor]);
    }
    fields.faces.value = "1";
    fields.photo.value = canvas.toDataURL("image/jpeg", 0.85).split(",")[1];
    this.stop();
    this.form.submit();
  }
  stop() {
    for (const track of this.stream?.getTracks() ?? []) track.stop();
  }
  tell(name) {
    for (const button of this.querySelectorAll('[aria-busy="true"]')) button.removeAttribute("aria-busy");
    for (const part of this.querySelectorAll("[data-tell]")) part.hidden = part.dataset.tell !== name;
  }
});
