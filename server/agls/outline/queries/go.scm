(type_declaration (type_spec name: (type_identifier) @name type: (struct_type)) @struct)
(type_declaration (type_spec name: (type_identifier) @name type: (interface_type)) @interface)
(type_declaration (type_spec name: (type_identifier) @name) @type)
(type_declaration (type_alias name: (type_identifier) @name) @type)
(method_declaration name: (field_identifier) @name) @method
(method_elem name: (field_identifier) @name) @method
(function_declaration name: (identifier) @name) @function
(source_file (const_declaration (const_spec name: (identifier) @name) @constant))
(source_file (var_declaration (var_spec name: (identifier) @name) @variable))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @variable)))
