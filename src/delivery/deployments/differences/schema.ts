/** What differs between two Deployments, as the API tells it. Source: contract 3, "tells what differs, by name". */
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
  agent: nullable(ByName('The Agent that it is bound to; null: it is there for all.')),
  bindingKey: nullable(Type.String({ description: 'The key that it is bound under.' })),
}
const credential = nullable(
  Type.Object(
    {
      providerCredentialId: Id('crd'),
      label: nullable(Type.String({ description: 'What it is called; null where it has been deleted.' })),
      providerCredentialVersion: nullable(Type.Integer({ minimum: 1 })),
    },
    {
      description:
        'As the Configuration Revision pins it. A Deployment with `credentials: "current"` has the one of the day on ' +
        'which it was prepared.',
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
  { $id: 'VariableChange', description: 'A variable that is not pinned as it was.' },
)
export type VariableChange = Static<typeof VariableChange>

const ConnectionSide = Type.Object({
  connectionId: Id('con'),
  connectionVersionId: Id('cnv'),
  number: nullable(Type.Integer({ minimum: 1, description: 'Of the version; null where it has been deleted.' })),
  credential,
})
const ConnectionChange = Type.Object(
  {
    name: Type.String({ description: 'Its name, or its id where it has been deleted.', examples: ['shop'] }),
    ...binding,
    change: Change,
    ...sides(ConnectionSide),
    differences: Differences,
  },
  { $id: 'ConnectionChange', description: 'A Connection that is not pinned as it was.' },
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
  { $id: 'ProviderSettingChange', description: 'A choice of a model that is not as it was.' },
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
    variables: Type.Array(VariableChange, { description: 'Those that differ, by name; never their values.' }),
    connections: Type.Array(ConnectionChange, { description: 'Those that differ, by name.' }),
    providerSettings: Type.Array(ProviderSettingChange, { description: 'Those that differ, by Agent.' }),
    truncated: Truncated,
  },
  { $id: 'DeploymentDiff', description: 'What a Deployment has other than the one that it is compared with.' },
)
export type DeploymentDiff = Static<typeof DeploymentDiff>

export const AgainstDeployment = Type.Object({
  against: Id('dep', 'The Deployment of the same Environment to compare with: what was before.'),
})
