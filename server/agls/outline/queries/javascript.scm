(class_declaration name: (identifier) @name) @class
(method_definition name: (_) @name) @method
(function_declaration name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(field_definition property: (_) @name) @property
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function)]) @function
(variable_declarator name: (identifier) @name value: (class)) @class
(program (lexical_declaration (variable_declarator name: (identifier) @name) @variable))
(program (variable_declaration (variable_declarator name: (identifier) @name) @variable))
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @variable)))
(pair key: (property_identifier) @name value: [(arrow_function) (function_expression)]) @method
(assignment_expression left: (member_expression property: (property_identifier) @name) right: [(arrow_function) (function_expression) (class)]) @function
