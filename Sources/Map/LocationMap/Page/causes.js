// The reasons of a missing or approximate location in the page's language. The service's own sentences about them are in
// English; they name the program, the rule or the file, so the page in English shows those. The sentence about a service that cannot
// be reached has the path of its socket, which is for the program's terminal.

import { parts } from "./messages.js";
import { isEnglish, text, translated } from "./texts.js";

const REDUCED = text("This program receives only your approximate location.");
// By the identifiers of the service's reasons, and of its errors.
const CAUSES = {
  servicesOffForMachine: text("Location services are off for this machine."),
  servicesOffForUser: text("Location services are off for you."),
  servicesOffOnDesktop: text("Location services are off in the settings of the desktop."),
  restricted: text("A policy of this machine does not allow this program to use your location."),
  deniedByRule: text("A rule does not allow this program to use your location now."),
  deniedByUser: text("This program is not allowed to use your location."),
  undecided: text("You have not decided yet whether this program may use your location."),
  noAgent: text("The prompt about this program cannot be shown, because no agent is running."),
  needsAlways: text("This program may use your location only while it is in use, but this request requires permission at any time."),
  unconfirmed: text("In the background this program may use your location only after you have confirmed that."),
  noLogind: text("Whether this program is in use cannot be determined, because systemd-logind is not running."),
  noSession: text("This program is not in use: it runs outside of any login session."),
  sessionNotOfPerson: text("This program is not in use: its session is a login screen or for background jobs."),
  sessionClosing: text("This program is not in use: its session has ended. Log in and start it again."),
  sessionLocked: text("This program is not in use: the screen of its session is locked."),
  sessionNotActive: text("This program is not in use: another session is shown on its seat."),
  noDesktop: text("This program is not in use: it has no terminal, and no graphical session of its user is there to show it."),
  backgroundJob: text("This program is not in use: it is a background job of its terminal, or the terminal was closed."),
  reducedByUser: REDUCED, reducedByPolicy: REDUCED, reducedByRule: REDUCED, reducedByDefault: REDUCED, reducedByDesktop: REDUCED,
  noSource: text("This machine has no source of locations."),
  sourceUnreachable: text("The source of locations cannot be reached, or has no location yet."),
  noReceiver: text("There is no receiver, and no other source has a location."),
  noFix: text("The receiver has no fix; it needs a clear view of the sky."),
  receiverSilent: text("The receiver has stopped reporting."),
  noCompass: text("Neither a receiver nor this machine has a compass."),
  clientNotDeclared: text("No declaration matches this program."),
  missingUsageDescription: text("The declaration of this program lacks the text that states its purpose."),
  notAnswered: text("The prompt about this program was not answered."),
  serviceUnavailable: text("The location service cannot be reached."),
};
// The commands that change nothing.
const LISTING = /^locationctl (?:doctor|rules list|sources)/;

/** The parts of the message about the user's location, with the command that the service names; `null` if there is none. */
export function causeOf({ message, reason }) {
  if (!message) return null;
  const own = parts(translated(message));
  if (!CAUSES[reason] || (isEnglish && reason !== "serviceUnavailable")) return own;
  const lead = LISTING.test(own.command) ? text("To find out why, run:") : text("To change that, run:");
  return { text: CAUSES[reason], ...own.command ? { lead, command: own.command } : {} };
}
