// The contents of the map as text, for browsers that cannot draw it.

import { element } from "./dom.js";

export class WithoutMap {
  #position = element("p", { class: "coordinates" });
  #accuracy = element("p");
  #list = element("ul");
  #views = new Map();

  #connection;
  #user = {};

  constructor(stage, connection) {
    this.#connection = connection;
    stage.querySelector("#surface").replaceWith(element("div", { class: "plain" },
      element("h2", { text: "This browser cannot draw the map" }),
      element("p", { text: "It needs WebGL 2, which is switched off or missing here. What is on the map, in words:" }),
      this.#position, this.#accuracy, this.#list));
  }

  lineChanged() { this.#showUser(this.#user); }

  receive(name, value) {
    if (name === "state") {
      document.title = value.map.title || "Map";
      this.#views = new Map(value.views.map((view) => [view.id, view]));
      this.#showUser(value.user);
    }
    if (name === "user") this.#showUser(value);
    if (name === "views") {
      for (const view of [...value.show ?? [], ...value.change ?? []]) this.#views.set(view.id, view);
      for (const { id } of value.hide ?? []) this.#views.delete(id);
    }
    this.#list.replaceChildren(...[...this.#views.values()].map((view) =>
      element("li", { text: `${view.label || view.title || "Annotation"}: ${words(view.position)}` })));
  }

  #showUser(user) {
    this.#user = user;
    const isCurrent = user.status === "located" && this.#connection.isLive;
    this.#position.textContent = user.position ? `You are at ${words(user.position)}` : "No location";
    this.#accuracy.textContent = user.message ??
      (user.accuracy ? `within ${Math.round(user.accuracy)} m${user.source ? `, ${user.source}` : ""}${isCurrent ? "" : ", not current"}` : "");
  }
}

const words = ([longitude, latitude]) => `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`;
