/** Operations: the actions that Agents and workflows can invoke. */
import type { Operation, OperationHandler, OperationsSource } from '../generated/schemas.ts'
import { type AnySchema, type Infer, jsonSchemaOf } from '../schemas/schema.ts'
import { type Placeholder, placeholder } from './placeholders.ts'

/** An operation as its author writes it. */
export interface OperationDefinition<Input extends AnySchema = AnySchema> {
  /** The description that the model reads. */
  description: string
  /** The schema of the input: an object. */
  input: Input
  /** The schema of the output. */
  output?: AnySchema
  /** Whether it changes anything. */
  effect: Operation['effect']
  /** Whether a repetition is safe. Default: true for `read`. */
  idempotent?: boolean
  /** Whether a person must approve it first. Default: `never`. */
  approval?: Operation['approval']
  timeoutMs?: number
  /** Its handler; a function gets placeholders for the input. */
  handler: OperationHandler | ((input: Placeholder<Infer<Input>>) => OperationHandler)
}

/** One operation, for the tools of an Agent and the steps of a workflow. */
export interface OperationReference<Input = unknown> {
  /** `<definition>.<operation>` */
  readonly operation: string
  /** Its Definition. */
  readonly definition: OperationsDefinition
  /** The type of its input; has no value at run time. */
  readonly '~input'?: Input
}

/** A Definition of kind `operations`. */
export interface OperationsDefinition<Inputs extends Record<string, unknown> = Record<string, unknown>> {
  readonly name: string
  readonly kind: 'operations'
  readonly description?: string
  readonly source: OperationsSource
  /** Its operations, for the tools of Agents. */
  readonly operations: { readonly [Name in keyof Inputs]: OperationReference<Inputs[Name]> }
}

/** The type of an operation's input: `OperationInput<typeof orders.operations.find>`. */
export type OperationInput<Reference extends OperationReference> = NonNullable<Reference['~input']>

function operationOf(name: string, definition: OperationDefinition): Operation {
  const { description, input, output, effect, approval = 'never', timeoutMs, handler } = definition
  const { idempotent = effect === 'read' } = definition
  const carriedOut = typeof handler === 'function' ? handler(placeholder('input')) : handler
  return {
    name,
    description,
    inputSchema: jsonSchemaOf(input),
    ...(output && { outputSchema: jsonSchemaOf(output) }),
    effect,
    idempotent,
    approval,
    ...(timeoutMs !== undefined && { timeoutMs }),
    // placeholders become text
    handler: JSON.parse(JSON.stringify(carriedOut)) as OperationHandler,
  }
}

/**
 * An operation. The type of its input is the type of its handler's argument, for JSON Schemas and for schemas of
 * libraries.
 */
export const operation = <const Input extends AnySchema>(
  definition: OperationDefinition<Input>,
): OperationDefinition<Input> => definition

/**
 * Operations under one name.
 *
 *     const orders = defineOperations('orders', {
 *       find: operation({
 *         description: 'Finds an order by its number.',
 *         input: z.object({ number: z.string() }),
 *         effect: 'read',
 *         handler: (input) => ({ type: 'http', connection: 'shop', method: 'GET', path: `/orders/${input.number}` }),
 *       }),
 *     })
 */
export function defineOperations<Inputs extends Record<string, AnySchema>>(
  name: string,
  operations: { [Name in keyof Inputs]: OperationDefinition<Inputs[Name]> },
  description?: string,
): OperationsDefinition<{ [Name in keyof Inputs]: Infer<Inputs[Name]> }> {
  const entries = Object.entries(operations) as [string, OperationDefinition][]
  const references: Record<string, OperationReference> = {}
  const definition = {
    name,
    kind: 'operations' as const,
    ...(description !== undefined && { description }),
    source: { operations: entries.map(([each, written]) => operationOf(each, written)) },
    operations: references,
  }
  for (const [each] of entries) references[each] = { operation: `${name}.${each}`, definition }
  return definition as unknown as OperationsDefinition<{ [Name in keyof Inputs]: Infer<Inputs[Name]> }>
}
