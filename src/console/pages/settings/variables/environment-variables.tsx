/** Variables of an Environment. */
import { useState } from 'react'
import { nameOrId } from '../../../data/name-or-id.ts'
import { usePages } from '../../../data/pages.ts'
import { NewButton } from '../../../ui/forms/button.tsx'
import { Empty } from '../../../ui/states.tsx'
import { useEnvironment } from '../../../use-environment.ts'
import { useOpened } from '../../../use-opened.ts'
import { ConfigurationFrame, CountsWhenDeployed } from '../configuration-frame.tsx'
import { BindingText } from '../connections/binding-fields.tsx'
import { useOrganizationVariables } from '../environment-lists.ts'
import { EditVariable, NewVariable, type Variable } from './environment-variable-dialogs.tsx'
import { ValueTrace, VariableTable } from './variable-table.tsx'

export default function VariablesPage() {
  const { environmentId, environment } = useEnvironment()
  const [creating, setCreating] = useOpened('new')
  const [changing, setChanging] = useState<Variable>()
  const variables = usePages(['variables', environmentId], (options, page) =>
    environment.variables.get({ ...options, query: page }),
  )
  const begin = (
    <NewButton needs="env:variables:create" onClick={() => setCreating(true)}>
      New variable
    </NewButton>
  )
  return (
    <ConfigurationFrame
      title="Variables"
      about="Values for the Agents of this Environment, stored encrypted and never shown again."
      actions={begin}
    >
      <VariableTable
        label="variables"
        pages={variables}
        own={[
          { title: 'Value', cell: (variable) => <Origin variable={variable} /> },
          { title: 'Binding', cell: (variable) => <BindingText bound={variable} none="all Agents" /> },
        ]}
        whenDeleted="A variable pinned by the active Deployment cannot be deleted."
        needs={{ change: 'env:variables:update', remove: 'env:variables:delete' }}
        onChange={setChanging}
        onDelete={(variableId) => environment.variables({ variableId }).delete()}
        list={['variables', environmentId]}
        empty={
          <Empty icon="variable" title="No variables yet" action={begin}>
            Use variables for values that differ between Environments, such as addresses, accounts and tokens.
          </Empty>
        }
      />
      <CountsWhenDeployed />
      {creating && <NewVariable onClose={() => setCreating(false)} />}
      {changing && <EditVariable variable={changing} onClose={() => setChanging(undefined)} />}
    </ConfigurationFrame>
  )
}

interface OriginProps {
  variable: { sourceVariableId: string | null; sourceVersion: number | null; valueDigest: string; valueLength: number }
}

/** Its own value, or its source among the organization's variables. */
function Origin({ variable }: OriginProps) {
  const { sourceVariableId, sourceVersion } = variable
  const known = useOrganizationVariables()
  if (sourceVariableId === null) return <ValueTrace {...variable} />
  const name = nameOrId(known, known.value?.find(({ id }) => id === sourceVariableId)?.name, sourceVariableId)
  return (
    <span className="value-wrap">
      <code>{name}</code> <span className="faint">version {sourceVersion}</span>
    </span>
  )
}
