// The contents of the map as text, for browsers that cannot draw it.

import { causeOf } from "./causes.js";
import { element } from "./dom.js";
import { VehicleReader, lineOf } from "./fleet-vehicle.js";
import { spoken } from "./messages.js";
import { listed, text, translated } from "./texts.js";
import { accuracyOf } from "./units.js";

export class WithoutMap {
  #position = element("p", { class: "coordinates" });
  #accuracy = element("p");
  #list = element("ul");
  #views = new Map();
  #vehicleCount = element("h2", { hidden: true });
  #vehicles = element("ul");

  #connection;
  #user = {};

  constructor(stage, connection) {
    this.#connection = connection;
    stage.querySelector("#surface").replaceWith(element("div", { class: "plain" },
      element("h2", { text: text("This browser cannot draw the map") }),
      element("p", { text: text("It needs WebGL 2, which is switched off or missing here. What is on the map, in words:") }),
      this.#position, this.#accuracy, this.#list, this.#vehicleCount, this.#vehicles));
  }

  lineChanged() { this.#showUser(this.#user); }

  receive(name, value) {
    if (name === "state") {
      document.title = value.map.title === "Map" ? text("Map") : value.map.title;
      this.#views = new Map(value.views.map((view) => [view.id, view]));
      this.#showUser(value.user);
      // The list of vehicles, and none of a map.
      if (value.hasFleet) this.#connection.send({ type: "fleet", bounds: [0, -90, 0, -90], zoom: 0, search: "", kept: [] });
    }
    if (name === "fleet" && value.list) {
      this.#vehicleCount.hidden = false;
      this.#vehicleCount.textContent = text("{count} vehicles", { count: value.list.total });
      this.#vehicles.replaceChildren(...new VehicleReader().read(value.list).map((vehicle) =>
        element("li", { dir: "auto", text: `${vehicle.label}: ${lineOf(vehicle)} · ${words(vehicle.position)}` })));
    }
    if (name === "user") this.#showUser(value);
    if (name === "views") {
      for (const view of [...value.show ?? [], ...value.change ?? []]) this.#views.set(view.id, view);
      for (const { id } of value.hide ?? []) this.#views.delete(id);
    }
    this.#list.replaceChildren(...[...this.#views.values()].map((view) =>
      element("li", { text: `${view.label || view.title || text("Annotation")}: ${words(view.position)}` })));
  }

  #showUser(user) {
    this.#user = user;
    const isCurrent = user.status === "located" && this.#connection.isLive;
    this.#position.textContent = user.position ? text("You are at {coordinates}", { coordinates: words(user.position) }) : text("No location");
    const cause = causeOf(user);
    this.#accuracy.textContent = cause ? spoken(cause) : (user.accuracy
      ? listed([text("Within {distance}", { distance: accuracyOf(user.accuracy) }), translated(user.source), isCurrent ? "" : text("Not current")]) : "");
  }
}

const words = ([longitude, latitude]) => `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`;
