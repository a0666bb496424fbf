import CommandLineSupport

extension String {
    /// The text as one word of a command that people copy into a shell: as it is, or in quotation marks if the shell would
    /// read a character of it otherwise.
    var shellWord: String {
        let word = shown()
        let isPlain = !word.isEmpty && word.allSatisfy { $0.isLetter || $0.isNumber || "._-+:@/,".contains($0) }
        return isPlain ? word : "'" + word.replacing("'", with: #"'\''"#) + "'"
    }
}
