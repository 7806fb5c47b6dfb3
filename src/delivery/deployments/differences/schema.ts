/** The schemas of differences between Deployments. Source: contract 3, "tells what differs, by name". */
import { type Static, Type } from '@sinclair/typebox'
import {
  ByName,
  Change,
  Differences,
  ReleaseDiff,
  sides,
  Truncated,
} from '../../../authoring/releases/differences/schema.ts'
import { Id, nullable } from '../../../platform/http/schema.ts'
import { Credentials } from '../schema.ts'

const binding = {
  agent: nullable(ByName('The Agent that it is bound to; null if it is for all Agents.')),
  bindingKey: nullable(Type.String({ description: 'The key that it is bound under.' })),
}
const credential = nullable(
  Type.Object(
    {
      providerCredentialId: Id('crd'),
      label: nullable(Type.String({ description: 'Its label; null if it was deleted.' })),
      providerCredentialVersion: nullable(Type.Integer({ minimum: 1 })),
    },
    {
      description:
        'As pinned by the Configuration Revision. A Deployment with `credentials: "current"` uses the current one at the time ' +
        'of its preparation.',
    },
  ),
)

const VariableChange = Type.Object(
  {
    name: Type.String({ examples: ['SHOP_REGION'] }),
    ...binding,
    change: Change,
    ...sides(Type.Object({ variableId: Id('var'), version: Type.Integer({ minimum: 1 }) })),
  },
  { $id: 'VariableChange', description: 'A variable whose pin has changed.' },
)
export type VariableChange = Static<typeof VariableChange>

const ConnectionSide = Type.Object({
  connectionId: Id('con'),
  connectionVersionId: Id('cnv'),
  number: nullable(Type.Integer({ minimum: 1, description: 'The number of the version; null if it was deleted.' })),
  credential,
})
const ConnectionChange = Type.Object(
  {
    name: Type.String({ description: 'Its name, or its id if it was deleted.', examples: ['shop'] }),
    ...binding,
    change: Change,
    ...sides(ConnectionSide),
    differences: Differences,
  },
  { $id: 'ConnectionChange', description: 'A Connection whose pin has changed.' },
)
export type ConnectionChange = Static<typeof ConnectionChange>

const SettingSide = Type.Object({
  settingId: Type.Integer(),
  provider: nullable(Type.String()),
  model: nullable(Type.String()),
  credential,
})
const ProviderSettingChange = Type.Object(
  { agent: ByName('The Agent whose model it is.'), change: Change, ...sides(SettingSide), differences: Differences },
  { $id: 'ProviderSettingChange', description: 'A provider setting that has changed.' },
)
export type ProviderSettingChange = Static<typeof ProviderSettingChange>

const DeploymentSide = Type.Object({
  deploymentId: Id('dep'),
  configurationRevisionId: Id('cfr'),
  configurationNumber: Type.Integer({ minimum: 0, description: 'The number of the Configuration Revision.' }),
  credentials: Credentials,
})

export const DeploymentDiff = Type.Object(
  {
    before: DeploymentSide,
    after: DeploymentSide,
    release: ReleaseDiff,
    variables: Type.Array(VariableChange, { description: 'Changed variables by name; never their values.' }),
    connections: Type.Array(ConnectionChange, { description: 'Changed Connections by name.' }),
    providerSettings: Type.Array(ProviderSettingChange, { description: 'Changed provider settings by Agent.' }),
    truncated: Truncated,
  },
  { $id: 'DeploymentDiff', description: 'The differences of a Deployment from another one.' },
)
export type DeploymentDiff = Static<typeof DeploymentDiff>

export const AgainstDeployment = Type.Object({
  against: Id('dep', 'The earlier Deployment of the same Environment to compare with.'),
})
