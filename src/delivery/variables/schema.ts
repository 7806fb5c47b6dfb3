/** The schemas of variables. Source: requirement 2, 4.11; contract 4. */
import { type Static, Type } from '@sinclair/typebox'
import { EnvironmentPath } from '../../platform/http/paths.ts'
import { Description, Id, nullable, Timestamp } from '../../platform/http/schema.ts'
import { tracesOfValue, VariableName, VariableStatus, VariableValue } from './value.ts'

const SourceId = (description: string) => Id('var', description)
const SourceVersion = (description: string) => Type.Integer({ minimum: 1, maximum: 2_147_483_647, description })
const BindingKey = (description: string) =>
  Type.String({ pattern: '^[a-zA-Z0-9_.-]{1,64}$', description, examples: ['shop'] })

export const Variable = Type.Object(
  {
    id: Id('var'),
    name: VariableName,
    version: Type.Integer({ minimum: 1, description: 'The newest version; each new value or source creates one.' }),
    description: nullable(Type.String()),
    sourceVariableId: nullable(SourceId('The organization variable that it takes its value from.')),
    sourceVersion: nullable(SourceVersion('The pinned version of it.')),
    agentId: nullable(Id('agt', 'The Agent that it is for; null if it is for all Agents.')),
    bindingKey: nullable(BindingKey('The key that the Agent uses for it.')),
    status: VariableStatus,
    ...tracesOfValue,
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { $id: 'Variable', description: 'A value for the Agents of an Environment. It is never shown.' },
)
export type Variable = Static<typeof Variable>

export const NewVariable = Type.Object(
  {
    name: VariableName,
    value: Type.Optional(VariableValue),
    sourceVariableId: Type.Optional(SourceId('An organization variable to take the value from.')),
    sourceVersion: Type.Optional(SourceVersion('The version of it.')),
    description: Type.Optional(Description()),
    agentId: Type.Optional(Id('agt', 'An Agent of the Project that it is for.')),
    bindingKey: Type.Optional(BindingKey('The key that the Agent uses for it.')),
  },
  {
    $id: 'NewVariable',
    description:
      'Either `value`, or `sourceVariableId` with `sourceVersion`. `agentId` and `bindingKey` must be given together; without them ' +
      'it is for all Agents.',
  },
)
export type NewVariable = Static<typeof NewVariable>

export const VariableChanges = Type.Object(
  {
    value: Type.Optional(VariableValue),
    sourceVariableId: Type.Optional(SourceId('An organization variable to take the value from.')),
    sourceVersion: Type.Optional(SourceVersion('The version of it.')),
    description: Type.Optional(nullable(Description('Null removes it.'))),
    status: Type.Optional(VariableStatus),
    agentId: Type.Optional(
      nullable(Id('agt', 'An Agent of the Project that it is for; null if it is for all Agents.')),
    ),
    bindingKey: Type.Optional(nullable(BindingKey('The key that the Agent uses for it.'))),
  },
  { $id: 'VariableChanges', description: 'The fields to change; a value or a source becomes the next version.' },
)
export type VariableChanges = Static<typeof VariableChanges>

export const VariablePath = Type.Object({ ...EnvironmentPath.properties, variableId: Id('var', 'The variable.') })
