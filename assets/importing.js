// Files on their way to the server: a place with data-upload takes a drop or a choice, sends the file as the body
// of one request to data-url, and tells the page through the place's own bar, error and store.
(function () {
  const tell = (name, part, props) => window.dash_clientside.set_props(name + "-" + part, props);

  function send(place, file) {
    const name = place.dataset.upload;
    const mostBytes = Number(place.dataset.mostMb) * 1e6;
    tell(name, "error", { children: "" });
    if (file.size > mostBytes)
      return fail(name, "The file has " + (file.size / 1e6).toFixed(1) + " MB and an upload may have " +
        place.dataset.mostMb + " MB: compress it with gzip, or put it into the import folder.");
    if (!file.size) return fail(name, "The file is empty: there is nothing to import.");
    const request = new XMLHttpRequest();
    request.upload.onprogress = (event) => tell(name, "bar", { value: (100 * event.loaded) / event.total });
    request.onload = () => finish(name, request);
    request.onerror = () => fail(name, "The upload was cut off: send the file again.");
    request.open("POST", place.dataset.url);
    request.setRequestHeader("X-File-Name", encodeURIComponent(file.name));
    request.setRequestHeader("Content-Type", "application/octet-stream");
    place.classList.add("sending");
    request.send(file);
  }

  function placeOf(name) {
    return document.querySelector('[data-upload="' + name + '"]');
  }

  function fail(name, sentence) {
    const place = placeOf(name);
    if (place) place.classList.remove("sending");
    tell(name, "bar", { value: 0 });
    tell(name, "error", { children: sentence });
  }

  function finish(name, request) {
    let answer = {};
    try {
      answer = JSON.parse(request.responseText);
    } catch (error) {
      answer = { error: "The server, or a proxy before it, refused the file (status " + request.status + ")." };
    }
    if (request.status !== 201) return fail(name, answer.error);
    const place = placeOf(name);
    if (place) place.classList.remove("sending");
    tell(name, "bar", { value: 0 });
    tell(name, "uploaded", { data: answer });
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-choose]");
    if (!button) return;
    const input = document.createElement("input");
    input.type = "file";
    input.onchange = () => input.files.length && send(button.closest("[data-upload]"), input.files[0]);
    input.click();
  });
  ["dragover", "dragleave", "drop"].forEach((kind) =>
    document.addEventListener(kind, (event) => {
      const place = event.target.closest && event.target.closest(".drop-zone");
      if (!place) return;
      event.preventDefault();
      place.classList.toggle("over", kind === "dragover");
      if (kind === "drop" && event.dataTransfer.files.length) send(place, event.dataTransfer.files[0]);
    })
  );
})();
