/** Variables of the organization. */
import { useState } from 'react'
import { useAction } from '../../../data/action.ts'
import { useApi } from '../../../data/context.ts'
import { usePages } from '../../../data/pages.ts'
import { NewButton } from '../../../ui/forms/button.tsx'
import { Empty } from '../../../ui/states.tsx'
import { useOpened } from '../../../use-opened.ts'
import { useOrganizationPath } from '../organization/use-organization.ts'
import { Refusal } from '../refusal.tsx'
import { SettingsPage } from '../settings-page.tsx'
import type { OrganizationVariable } from './organization-variable.ts'
import { EditOrganizationVariable, NewOrganizationVariable } from './organization-variable-dialogs.tsx'
import { ValueTrace, VariableTable } from './variable-table.tsx'

export default function OrganizationVariablesPage() {
  const api = useApi()
  const organization = useOrganizationPath()
  const [creating, setCreating] = useOpened('new')
  const [changing, setChanging] = useState<OrganizationVariable>()
  const variables = usePages(['organization-variables'], (options, page) =>
    api.v1.organizations(organization).variables.get({ ...options, query: page }),
  )
  const remove = useAction(
    (variableId: string) => api.v1.organizations(organization).variables({ variableId }).delete(),
    { success: 'Deleted', changes: [['organization-variables']], quiet: true },
  )
  const begin = <NewButton onClick={() => setCreating(true)}>New variable</NewButton>
  return (
    <SettingsPage
      title="Organization variables"
      about="Versioned values shared by Environments, stored encrypted and never shown again."
      actions={begin}
      failure={variables.failure}
    >
      <Refusal action={remove} />
      <VariableTable
        label="organization variables"
        pages={variables}
        own={[{ title: 'Value', cell: (variable) => <ValueTrace {...variable} /> }]}
        whenDeleted="A variable used by an Environment cannot be deleted."
        onChange={setChanging}
        onDelete={remove.run}
        empty={
          <Empty icon="variable" title="No variables yet" action={begin}>
            Store values shared by several Environments here; each Environment chooses a version.
          </Empty>
        }
      />
      {creating && <NewOrganizationVariable onClose={() => setCreating(false)} />}
      {changing && <EditOrganizationVariable variable={changing} onClose={() => setChanging(undefined)} />}
    </SettingsPage>
  )
}
