/** Shapes that sources of every kind share: names, JSON Schemas. Source: contract 3, `DefinitionSource`. */
import { Type } from '@sinclair/typebox'

const word = '[a-zA-Z0-9_-]{1,64}'
/** `<definition>.<operation>` */
export const operationPattern = `^${word}\\.${word}$`
/** The format of names of Definitions, operations, steps, states and events. */
export const wordPattern = new RegExp(`^${word}$`)

/** A name among its like. */
export const Word = (description: string, example: string) =>
  Type.String({ pattern: wordPattern.source, description, examples: [example] })

/** An object that may hold anything. */
export const freeForm = (description: string) => Type.Object({}, { additionalProperties: true, description })
/** A JSON Schema of a source. */
export const jsonSchema = (description: string) =>
  freeForm(`${description} JSON Schema, draft 2020-12 unless \`$schema\` says.`)
