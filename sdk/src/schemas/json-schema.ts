/** JSON Schemas in a program, and the types derived from them. */

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = { readonly [keyword: string]: unknown }

type RequiredNames<Schema> = Schema extends { readonly required: readonly (infer Name)[] } ? Name : never

type InferObject<Schema> = Schema extends { readonly properties: infer Properties }
  ? {
      -readonly [Name in keyof Properties as Name extends RequiredNames<Schema> ? Name : never]: InferJson<
        Properties[Name]
      >
    } & {
      -readonly [Name in keyof Properties as Name extends RequiredNames<Schema> ? never : Name]?: InferJson<
        Properties[Name]
      >
    }
  : Record<string, unknown>

type InferType<Type, Schema> = Type extends 'string'
  ? string
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? Schema extends { readonly items: infer Item }
            ? InferJson<Item>[]
            : unknown[]
          : Type extends 'object'
            ? InferObject<Schema>
            : unknown

type Flat<Type> = Type extends object ? { [Name in keyof Type]: Type[Name] } : Type

/**
 * The type of values that match a JSON Schema, as far as these keywords determine it: `type`, `properties`, `items`,
 * `enum`, `const`, `anyOf`, `oneOf`.
 */
export type InferJson<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly anyOf: readonly (infer Choice)[] }
      ? InferJson<Choice>
      : Schema extends { readonly oneOf: readonly (infer Choice)[] }
        ? InferJson<Choice>
        : Schema extends { readonly type: readonly (infer Type)[] }
          ? InferType<Type, Schema>
          : Schema extends { readonly type: infer Type }
            ? Flat<InferType<Type, Schema>>
            : unknown
