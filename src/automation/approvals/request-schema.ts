/** The schemas of the request that an approval would allow. */
import { type Static, Type } from '@sinclair/typebox'
import { Id, nullable, oneOf } from '../../platform/http/schema.ts'
import { OperationName } from '../operations/invocations/schema.ts'

/** Of a text that is shown, in characters. */
export const textMax = 65_536
/** Of the value of a header. */
export const headerTextMax = 8_192

const ConnectionOfCall = Type.Object(
  {
    id: Id('con'),
    name: Type.String(),
    bindingKey: Type.String({ description: 'The key that the operation names it by.' }),
  },
  { $id: 'ConnectionOfCall', description: 'The Connection that a call goes over.' },
)

const HttpTarget = Type.Object({
  type: Type.Literal('http'),
  connection: ConnectionOfCall,
  method: Type.String(),
  url: Type.String(),
  headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() }), {
    description: 'Without those of traces and of the connection itself (`host`, `content-length`).',
  }),
  body: nullable(Type.String({ description: 'As it is sent.' })),
})

const McpTarget = Type.Object({
  type: Type.Literal('mcp'),
  connection: ConnectionOfCall,
  url: Type.String({ description: 'The MCP server.' }),
  tool: Type.String({ description: 'Its tool; the input is its arguments.' }),
})

const AgentTarget = Type.Object({
  type: Type.Literal('agent'),
  agent: Type.String({ description: 'The slug of the Agent that is run.' }),
  agentId: nullable(Id('agt')),
  query: Type.String({ description: 'What it is asked.' }),
})

const EntityTarget = Type.Object({
  type: Type.Literal('entity'),
  entity: Type.String({ description: 'The name of the Definition.' }),
  action: oneOf(['create', 'update', 'transition', 'delete']),
})

const WorkerTarget = Type.Object({ type: Type.Literal('worker'), queue: Type.String() })
const EchoTarget = Type.Object({ type: Type.Literal('echo') })

const withheldKinds = ['variable', 'runContext', 'connectionHeader', 'credential'] as const

export const ApprovalRequest = Type.Object(
  {
    operation: OperationName,
    effect: nullable(oneOf(['read', 'write'], { description: 'Whether it changes anything; null if it is gone.' })),
    idempotent: nullable(Type.Boolean()),
    target: nullable(
      Type.Union([HttpTarget, McpTarget, AgentTarget, EntityTarget, WorkerTarget, EchoTarget], {
        description: 'What is called; null if it cannot be determined, and `problem` has the reason.',
      }),
    ),
    withheld: Type.Array(
      Type.Object({
        name: Type.String({ description: 'Stands in the request as `{{name}}`.', examples: ['variables.SHOP'] }),
        kind: oneOf(withheldKinds, {
          description: '`credential`: the secret of the Connection. `runContext`: what the client gave the run.',
        }),
        label: nullable(Type.String({ description: 'Of a credential.' })),
      }),
      { description: 'Values that are known only when the request is sent, and are never shown.' },
    ),
    truncated: Type.Boolean({ description: 'Whether a text was too long to be shown whole.' }),
    problem: nullable(
      Type.Object(
        { code: Type.String(), message: Type.String() },
        { description: 'Why the call would fail if it was made now.' },
      ),
    ),
  },
  {
    $id: 'ApprovalRequest',
    description: 'What is sent once the call is approved, as far as it is known and can be shown now.',
  },
)
export type ApprovalRequest = Static<typeof ApprovalRequest>
export type Target = NonNullable<ApprovalRequest['target']>
export type Withheld = ApprovalRequest['withheld'][number]
