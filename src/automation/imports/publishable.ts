/**
 * Checks whether operations can be published as they are: each against the rules for revisions, and all together
 * against the bounds of one. Source: contract 3, "operations source".
 */
import { handlerIssues } from '../../authoring/definitions/handler-rules.ts'
import { schemaCharactersMax, schemasCharactersMax } from '../../authoring/definitions/json-schemas.ts'
import { operationShapeIssues } from '../../authoring/definitions/revision-request.ts'
import type { Operation } from '../../authoring/definitions/source.ts'
import { operationsMax } from '../../authoring/definitions/source-schema.ts'
import { schemaIssues } from '../../platform/json-schemas/checks.ts'
import type { JsonSchema } from '../../platform/json-schemas/structure.ts'
import { Skip } from './skip.ts'

export { operationsMax }

export const tooMany = `A Definition has at most ${operationsMax} operations: choose those you need, or import it into another one.`
const noRoom =
  `The JSON Schemas of a Definition have at most ${schemasCharactersMax.toLocaleString('en')} characters together: choose ` +
  'fewer operations, or import it into another one.'

/** The remaining bounds of one Definition. */
export class RoomOfDefinition {
  #operations = 0
  #characters = 0

  /** Consumes the size of an operation. Throws `Skip` if it does not fit. */
  take({ inputSchema, outputSchema }: Pick<Operation, 'inputSchema' | 'outputSchema'>): void {
    if (this.#operations >= operationsMax) throw new Skip(tooMany)
    const characters = lengthOf(inputSchema) + (outputSchema ? lengthOf(outputSchema) : 0)
    if (this.#characters + characters > schemasCharactersMax) throw new Skip(noRoom)
    this.#characters += characters
    this.#operations += 1
  }
}

/** The number of characters of a schema as JSON. */
export const lengthOf = (schema: JsonSchema): number => JSON.stringify(schema).length

/** Throws `Skip` with the first reason for which a revision with this operation would be refused. */
export async function assertPublishable(operation: Operation, organizationId: string): Promise<void> {
  const [issue] = [...operationShapeIssues(operation), ...handlerIssues(operation.handler, '/handler')]
  if (issue) throw new Skip(`It would not be valid: ${issue.path}: ${issue.message}`)
  for (const part of ['inputSchema', 'outputSchema'] as const) {
    const schema = operation[part]
    const reason = schema && (await schemaFault(schema, organizationId))
    if (reason) throw new Skip(`Its ${part} cannot be used: ${reason}`)
  }
}

/** The reason why a schema cannot be published; undefined if it can. */
export async function schemaFault(schema: JsonSchema, organizationId: string): Promise<string | undefined> {
  if (lengthOf(schema) > schemaCharactersMax)
    return `it has more than ${schemaCharactersMax.toLocaleString('en')} characters.`
  const [issue] = await schemaIssues(schema, '', organizationId)
  return issue && `${issue.path || '/'}: ${issue.message}`
}
