/** Variables of the organization: values that variables of Environments can be taken from. */
import { useState } from 'react'
import { useAction } from '../../data/action.ts'
import { useApi } from '../../data/context.ts'
import { usePages } from '../../data/pages.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmButton } from '../../ui/confirm.tsx'
import { Empty } from '../../ui/states.tsx'
import { DataTable } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { EditOrganizationVariable, NewOrganizationVariable } from './organization-variable-dialogs.tsx'
import { Refusal } from './refusal.tsx'
import './settings.css'
import { SettingsPage } from './settings-page.tsx'
import { useOrganizationPath } from './use-organization.ts'
import { NameAndDescription, ValueTrace } from './variable-parts.tsx'

export interface OrganizationVariable {
  id: string
  name: string
  description: string | null
  status: 'active' | 'disabled'
}

export default function OrganizationVariablesPage() {
  const api = useApi()
  const organization = useOrganizationPath()
  const [creating, setCreating] = useState(false)
  const [changing, setChanging] = useState<OrganizationVariable>()
  const variables = usePages(['organization-variables'], (options, page) =>
    api.v1.organizations(organization).variables.get({ ...options, query: page }),
  )
  const remove = useAction(
    (variableId: string) => api.v1.organizations(organization).variables({ variableId }).delete(),
    { success: 'Deleted', changes: [['organization-variables']], quiet: true },
  )
  const begin = (
    <Button tone="primary" icon="plus" onClick={() => setCreating(true)}>
      New variable
    </Button>
  )
  return (
    <SettingsPage
      title="Organization variables"
      about="Values that variables of Environments can be taken from, version by version. They are never shown again."
      actions={begin}
      failure={variables.failure}
    >
      <Refusal action={remove} />
      <DataTable
        label="organization variables"
        pages={variables}
        keyOf={({ id }) => id}
        columns={[
          { title: 'Name', cell: (variable) => <NameAndDescription {...variable} /> },
          { title: 'Status', cell: ({ status }) => <StateBadge state={status} /> },
          { title: 'Version', align: 'end', cell: ({ version }) => version },
          { title: 'Value', cell: (variable) => <ValueTrace {...variable} /> },
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
                  consequence="With all of its versions. Not while a variable of an Environment takes its value from it."
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
            What several Environments share is kept here once; each of them takes the version that it wants.
          </Empty>
        }
      />
      {creating && <NewOrganizationVariable onClose={() => setCreating(false)} />}
      {changing && <EditOrganizationVariable variable={changing} onClose={() => setChanging(undefined)} />}
    </SettingsPage>
  )
}
