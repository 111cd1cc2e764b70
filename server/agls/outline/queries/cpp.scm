(namespace_definition name: (_) @name) @namespace
(class_specifier name: (_) @name body: (_)) @class
(struct_specifier name: (_) @name body: (_)) @struct
(union_specifier name: (_) @name body: (_)) @struct
(enum_specifier name: (_) @name body: (_)) @enum
(alias_declaration name: (type_identifier) @name) @type
(type_definition declarator: (type_identifier) @name) @type
(function_definition declarator: (function_declarator declarator: (_) @name)) @function
(function_definition declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name))) @function
(function_definition declarator: (reference_declarator (function_declarator declarator: (_) @name))) @function
(field_declaration declarator: (function_declarator declarator: (_) @name)) @method
(field_declaration declarator: (pointer_declarator declarator: (function_declarator declarator: (_) @name))) @method
(field_declaration declarator: (field_identifier) @name) @field
(declaration declarator: (function_declarator declarator: (_) @name)) @function
(translation_unit (declaration declarator: (init_declarator declarator: (identifier) @name)) @variable)
(translation_unit (declaration declarator: (identifier) @name) @variable)
(preproc_def name: (identifier) @name) @constant
(preproc_function_def name: (identifier) @name) @function
