exports.activate = () => undefined; // what the editor takes for an extension that does nothing
