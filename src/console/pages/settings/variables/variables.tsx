/** Variables of the organization. */
import { useState } from 'react'
import { useApi } from '../../../data/context.ts'
import { usePages } from '../../../data/pages.ts'
import { NewButton } from '../../../ui/forms/button.tsx'
import { Empty } from '../../../ui/states.tsx'
import { useOpened } from '../../../use-opened.ts'
import { useOrganizationPath } from '../organization/use-organization.ts'
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
  const begin = (
    <NewButton needs="organization-variables:manage" onClick={() => setCreating(true)}>
      New variable
    </NewButton>
  )
  return (
    <SettingsPage
      title="Organization variables"
      about="Versioned values shared by Environments, stored encrypted and never shown again."
      actions={begin}
      failure={variables.failure}
    >
      <VariableTable
        label="organization variables"
        pages={variables}
        own={[{ title: 'Value', cell: (variable) => <ValueTrace {...variable} /> }]}
        whenDeleted="A variable used by an Environment cannot be deleted."
        needs={{ change: 'organization-variables:manage', remove: 'organization-variables:manage' }}
        onChange={setChanging}
        onDelete={(variableId) => api.v1.organizations(organization).variables({ variableId }).delete()}
        list={['organization-variables']}
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
