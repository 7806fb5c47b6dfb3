/** Uses of a credential, and revocation of a version. */
import { useApi } from '../../../data/context.ts'
import { useResource } from '../../../data/resource.ts'
import { ConfirmAction } from '../../../ui/forms/confirm-action.tsx'
import { Section } from '../../../ui/page.tsx'
import { Shown } from '../../../ui/states.tsx'
import { Table } from '../../../ui/table.tsx'
import { useOrganizationPath } from '../organization/use-organization.ts'

const useCredential = (credentialId: string) =>
  useApi().v1.organizations(useOrganizationPath())['provider-credentials']({ credentialId })

const kinds = { connection: 'Connection', providerSetting: 'Model of' }

export function CredentialUses({ credentialId }: { credentialId: string }) {
  const credential = useCredential(credentialId)
  const uses = useResource(['credentials', credentialId, 'uses'], (options) => credential.uses.get(options))
  return (
    <Section title="Uses">
      <Shown resource={uses}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="faint">Not in use.</p>
          ) : (
            <Table
              label="uses"
              items={items}
              keyOf={({ kind, id, deploymentId, environment }) =>
                [kind, id, deploymentId ?? 'configured', environment.id].join(' ')
              }
              columns={[
                { title: 'Used by', cell: ({ kind, name }) => `${kinds[kind]} ${name}` },
                { title: 'Environment', cell: ({ project, environment }) => `${project.slug}, ${environment.kind}` },
                { title: 'Version', cell: ({ version }) => version ?? 'current' },
                { title: 'Status', cell: ({ deploymentId }) => (deploymentId === null ? 'configured' : 'active') },
              ]}
            />
          )
        }
      </Shown>
    </Section>
  )
}

export function RevokeVersion({ credentialId, version }: { credentialId: string; version: number }) {
  const credential = useCredential(credentialId)
  return (
    <ConfirmAction
      needs="provider-credentials:update"
      question={`Revoke version ${version}?`}
      consequence={<p>The credential can no longer be used, even where it is pinned. This cannot be undone.</p>}
      confirm="Revoke"
      act={() => credential.versions({ version }).revoke.post()}
      options={{ success: `Version ${version} revoked`, changes: [['credentials']] }}
    >
      Revoke version {version}
    </ConfirmAction>
  )
}
