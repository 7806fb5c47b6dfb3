/** Connections of an Environment. */
import { usePages } from '../../../data/pages.ts'
import { at } from '../../../places.ts'
import { StateBadge, Tag } from '../../../ui/badge.tsx'
import { Button, NewButton } from '../../../ui/forms/button.tsx'
import { Empty } from '../../../ui/states.tsx'
import { DataTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { useEnvironment } from '../../../use-environment.ts'
import { useOpened } from '../../../use-opened.ts'
import { usePlace } from '../../../use-place.ts'
import { ConfigurationFrame, CountsWhenDeployed } from '../configuration-frame.tsx'
import { BindingText } from './binding-fields.tsx'
import { ConnectAccount } from './connect-account.tsx'
import { ConnectOutcome } from './connect-outcome.tsx'
import { ConnectionHealth } from './connection-health.tsx'
import { connectionKinds } from './connection-kinds.ts'
import { NewConnection } from './new-connection.tsx'
import '../settings.css'

export default function ConnectionsPage() {
  const place = usePlace()
  const { environmentId, environment } = useEnvironment()
  const [creating, setCreating] = useOpened('new')
  const [connecting, setConnecting] = useOpened('account')
  const connections = usePages(['connections', environmentId], (options, page) =>
    environment.connections.get({ ...options, query: page }),
  )
  const actions = (
    <>
      <Button needs="connections:start-oauth" icon="user" onClick={() => setConnecting(true)}>
        Connect an account
      </Button>
      <NewButton needs="connections:create" onClick={() => setCreating(true)}>
        New Connection
      </NewButton>
    </>
  )
  return (
    <ConfigurationFrame
      title="Connections"
      about="Connections to external services, with their credentials."
      actions={actions}
    >
      <ConnectOutcome />
      <DataTable
        label="Connections"
        pages={connections}
        keyOf={({ id }) => id}
        href={({ id }) => at(place, 'configuration', 'connections', id)}
        columns={[
          { title: 'Name', cell: ({ name }) => name },
          { title: 'Kind', cell: ({ kind }) => <Tag>{connectionKinds[kind]}</Tag> },
          { title: 'Status', cell: ({ status }) => <StateBadge state={status} /> },
          {
            title: 'Account',
            cell: ({ oauth }) =>
              oauth ? <span className="value-wrap">{oauth.account.label}</span> : <span className="faint none">–</span>,
          },
          { title: 'Binding', cell: (connection) => <BindingText bound={connection} none="not bound" /> },
          { title: 'Version', align: 'end', cell: ({ currentVersion }) => currentVersion.number },
          { title: 'Updated', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
        ]}
        empty={
          <Empty icon="plug" title="No Connections yet" action={<div className="row row-center">{actions}</div>}>
            A Connection gives Agents access to a service, with a credential of the organization or a user's account.
          </Empty>
        }
      />
      <CountsWhenDeployed />
      <ConnectionHealth />
      {creating && <NewConnection onClose={() => setCreating(false)} />}
      {connecting && <ConnectAccount onClose={() => setConnecting(false)} />}
    </ConfigurationFrame>
  )
}
