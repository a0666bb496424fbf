package import LocationInterface
package import LocationModel

extension AgentInterface.Kind {
    /// The title of a prompt about the program with this name.
    package func question(about name: String) -> String {
        switch self {
        case .whenInUse, .always: "Allow \(name) to use your location?"
        case .upgrade, .confirmAlways: "Allow \(name) to use your location even when you are not using it?"
        case .temporaryFullAccuracy: "Allow \(name) to use your precise location for now?"
        case .unknown: "\(name) asks about your location. To see what for, update this program."
        }
    }
}

extension AgentInterface.Prompt {
    /// The prompt with those of its choices that this release knows. If it does not know the kind of question, those that grant
    /// nothing.
    package var answerable: Self {
        let known: [PromptChoice] =
            if case .unknown = kind { [.dontAllow, .keepWhileUsing] } else { PromptChoice.allCases }
        var prompt = self
        prompt.choices.removeAll { !known.contains($0) }
        return prompt
    }
}

extension PromptChoice {
    /// The title of the button.
    package var words: String {
        switch self {
        case .allowWhileUsing: "Allow While Using"
        case .allowOnce: "Allow Once"
        case .dontAllow: "Don’t Allow"
        case .keepWhileUsing: "Keep While Using"
        case .changeToAlways: "Change to Always"
        case .unknown(let name): name
        }
    }
}
