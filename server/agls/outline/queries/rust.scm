(struct_item name: (type_identifier) @name) @struct
(union_item name: (type_identifier) @name) @struct
(enum_item name: (type_identifier) @name) @enum
(trait_item name: (type_identifier) @name) @interface
(impl_item type: [(type_identifier) @name (generic_type type: (type_identifier) @name) (scoped_type_identifier name: (type_identifier) @name)]) @object
(function_item name: (identifier) @name) @function
(function_signature_item name: (identifier) @name) @function
(mod_item name: (identifier) @name) @module
(macro_definition name: (identifier) @name) @function
(const_item name: (identifier) @name) @constant
(static_item name: (identifier) @name) @variable
(type_item name: (type_identifier) @name) @type
