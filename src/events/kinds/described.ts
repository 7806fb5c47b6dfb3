/** The schema of each kind of event. Source: contract 6, "Decided since". */
import { type TObject, type TSchema, Type } from '@sinclair/typebox'
import { Event } from '../history/schema.ts'
import { describedKinds } from './data.ts'
import { type RecordedKind, recordedKinds } from './kinds.ts'

interface EventDescription {
  kind: RecordedKind
  /** When the event is sent. */
  summary: string
  /** The schema of the whole event: the body of a delivery, and the history's item. */
  schema: TSchema
}

/** `operation.approval.status_changed` is an `OperationApprovalStatusChangedEvent`. */
const nameOf = (kind: RecordedKind): string =>
  `${kind
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}Event`

export const eventDescriptions: readonly EventDescription[] = recordedKinds.map((kind) => {
  const { summary, data } = describedKinds[kind]
  const { properties } = Event as unknown as TObject
  const schema = Type.Object(
    { ...properties, type: Type.Literal(kind), data },
    { $id: nameOf(kind), description: summary },
  )
  return { kind, summary, schema }
})

/** Internal keywords, and names, which a standalone schema must not repeat. */
const internalWords = ['$id', 'original', 'fault']

/** A standalone schema for any validator, without references. */
export const portable = (schema: TSchema): Record<string, unknown> =>
  JSON.parse(JSON.stringify(schema, (word, value) => (internalWords.includes(word) ? undefined : value)))
