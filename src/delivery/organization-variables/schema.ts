/** The schemas of organization variables. Source: contract 4. */
import { type Static, Type } from '@sinclair/typebox'
import { OrganizationPath } from '../../platform/http/paths.ts'
import { Description, Id, nullable, Timestamp } from '../../platform/http/schema.ts'
import { tracesOfValue, VariableName, VariableStatus, VariableValue } from '../variables/value.ts'

export const OrganizationVariable = Type.Object(
  {
    id: Id('var'),
    name: VariableName,
    version: Type.Integer({ minimum: 1, description: 'The newest version; each new value creates one.' }),
    description: nullable(Type.String()),
    status: VariableStatus,
    ...tracesOfValue,
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  {
    $id: 'OrganizationVariable',
    description: 'A value that variables of Environments can take. It is never shown.',
  },
)
export type OrganizationVariable = Static<typeof OrganizationVariable>

export const NewOrganizationVariable = Type.Object(
  {
    name: VariableName,
    value: VariableValue,
    description: Type.Optional(Description()),
  },
  { $id: 'NewOrganizationVariable', description: 'A variable with its first value.' },
)
export type NewOrganizationVariable = Static<typeof NewOrganizationVariable>

export const OrganizationVariableChanges = Type.Object(
  {
    value: Type.Optional(VariableValue),
    description: Type.Optional(nullable(Description('Null removes it.'))),
    status: Type.Optional(VariableStatus),
  },
  { $id: 'OrganizationVariableChanges', description: 'The fields to change; a value becomes the next version.' },
)
export type OrganizationVariableChanges = Static<typeof OrganizationVariableChanges>

export const OrganizationVariablePath = Type.Object({
  ...OrganizationPath.properties,
  variableId: Id('var', 'The variable.'),
})
