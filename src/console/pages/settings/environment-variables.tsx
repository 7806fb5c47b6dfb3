/** Variables of an Environment: values for its Agents. */
import { useState } from 'react'
import { useAction } from '../../data/action.ts'
import { usePages } from '../../data/pages.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmButton } from '../../ui/confirm.tsx'
import { Empty } from '../../ui/states.tsx'
import { DataTable } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { BindingText } from './binding-fields.tsx'
import { ConfigurationFrame, CountsWhenDeployed } from './configuration-frame.tsx'
import { useEnvironment, useOrganizationVariables } from './environment-lists.ts'
import { EditVariable, NewVariable, type Variable } from './environment-variable-dialogs.tsx'
import { Refusal } from './refusal.tsx'
import './settings.css'
import { NameAndDescription, ValueTrace } from './variable-parts.tsx'

export default function VariablesPage() {
  const { environmentId, environment } = useEnvironment()
  const [creating, setCreating] = useState(false)
  const [changing, setChanging] = useState<Variable>()
  const variables = usePages(['variables', environmentId], (options, page) =>
    environment.variables.get({ ...options, query: page }),
  )
  const remove = useAction((variableId: string) => environment.variables({ variableId }).delete(), {
    success: ({ name }) => `${name} is deleted`,
    changes: [['variables', environmentId]],
    quiet: true,
  })
  const begin = (
    <Button tone="primary" icon="plus" onClick={() => setCreating(true)}>
      New variable
    </Button>
  )
  return (
    <ConfigurationFrame
      title="Variables"
      about="Values for the Agents of this Environment. They are stored encrypted and never shown again."
      actions={begin}
    >
      <Refusal action={remove} />
      <DataTable
        label="variables"
        pages={variables}
        keyOf={({ id }) => id}
        columns={[
          { title: 'Name', cell: (variable) => <NameAndDescription {...variable} /> },
          { title: 'Status', cell: ({ status }) => <StateBadge state={status} /> },
          { title: 'Version', align: 'end', cell: ({ version }) => version },
          { title: 'Value', cell: (variable) => <Origin variable={variable} /> },
          { title: 'For', cell: (variable) => <BindingText bound={variable} none="all Agents" /> },
          { title: 'Changed', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
          {
            title: 'Actions',
            align: 'end',
            cell: (variable) => (
              <span className="cell-actions">
                <Button small aria-label={`Change ${variable.name}`} onClick={() => setChanging(variable)}>
                  Change
                </Button>
                <ConfirmButton
                  small
                  tone="quiet"
                  question={`Delete ${variable.name}?`}
                  consequence="With all of its versions. Not while the active Deployment pins one of them."
                  confirm="Delete"
                  aria-label={`Delete ${variable.name}`}
                  onConfirm={() => remove.run(variable.id)}
                >
                  Delete
                </ConfirmButton>
              </span>
            ),
          },
        ]}
        empty={
          <Empty icon="variable" title="No variables yet" action={begin}>
            What Agents need here and elsewhere has another value: addresses, accounts, tokens.
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

/** Its own value, or the variable of the organization that it takes it from. */
function Origin({ variable }: OriginProps) {
  const { sourceVariableId, sourceVersion } = variable
  const known = useOrganizationVariables()
  if (sourceVariableId === null) return <ValueTrace {...variable} />
  const name = known.value?.find(({ id }) => id === sourceVariableId)?.name ?? sourceVariableId
  return (
    <span className="value-wrap">
      <code>{name}</code> <span className="faint">version {sourceVersion}</span>
    </span>
  )
}
