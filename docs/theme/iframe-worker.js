// A Worker for pages that are opened from a disk, where browsers refuse to start one: its script runs
// in a hidden frame of the page instead. The site's search is the only user.
if (location.protocol === "file:") {
  const load = (page, url) => new Promise((resolve, reject) => {
    const script = page.createElement("script");
    script.src = new URL(url, location.href);
    script.onload = resolve;
    script.onerror = () => reject(new Error(`cannot load ${url}`));
    page.head.append(script);
  });

  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.srcdoc = "<!doctype html>";
      this.ready = new Promise((resolve) => { this.frame.onload = resolve; }).then(() => {
        const scope = this.frame.contentWindow;
        scope.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
        scope.importScripts = (...urls) =>
          urls.reduce((done, one) => done.then(() => load(scope.document, one)), Promise.resolve());
        return load(scope.document, url);
      });
      document.body.append(this.frame);
    }

    postMessage(data) {
      this.ready.then(() => {
        const scope = this.frame.contentWindow;
        scope.dispatchEvent(new scope.MessageEvent("message", { data }));
      });
    }

    terminate() {
      this.frame.remove();
    }
  };
}
