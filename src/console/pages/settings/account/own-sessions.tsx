/** The user's own sessions. */
import { useApi } from '../../../data/context.ts'
import { usePages } from '../../../data/pages.ts'
import { useSession } from '../../../session/session.ts'
import { Tag } from '../../../ui/badge.tsx'
import { ConfirmAction } from '../../../ui/forms/confirm-action.tsx'
import { Section } from '../../../ui/page.tsx'
import { DataTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { browserName } from './browser-name.ts'

interface OwnSession {
  id: string
  userAgent: string | null
  address: string | null
  current: boolean
}

const nameOf = ({ userAgent, address }: OwnSession) =>
  `${userAgent ? browserName(userAgent) : 'Unknown browser'} at ${address ?? 'unknown'}`

export function OwnSessions() {
  const api = useApi()
  const sessions = usePages(['sessions'], (options, page) => api.auth.sessions.get({ ...options, query: page }))
  return (
    <Section title="Sessions">
      <DataTable
        label="your sessions"
        pages={sessions}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Browser',
            cell: ({ userAgent, current }) => (
              <span className="cell-main">
                <span title={userAgent ?? undefined}>
                  {userAgent ? browserName(userAgent) : <span className="faint">unknown</span>}
                </span>
                {current && <Tag>current</Tag>}
              </span>
            ),
          },
          {
            title: 'Address',
            cell: ({ address }) => <span className="nowrap">{address ?? <span className="faint">unknown</span>}</span>,
          },
          { title: 'Signed in', cell: ({ createdAt }) => <Time at={createdAt} /> },
          { title: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
          { title: 'Actions', align: 'end', cell: (session) => !session.current && <EndSession session={session} /> },
        ]}
        empty={<p className="faint">No sessions.</p>}
      />
      <EndOthers />
    </Section>
  )
}

function EndSession({ session }: { session: OwnSession }) {
  const api = useApi()
  return (
    <ConfirmAction
      small
      tone="quiet"
      question="End this session?"
      consequence={`${nameOf(session)}: signed out on its next request.`}
      confirm="End session"
      aria-label={`End the session of ${nameOf(session)}`}
      act={() => api.auth.sessions({ sessionId: session.id }).delete()}
      options={{ success: 'Session ended', changes: [['sessions']] }}
    >
      End
    </ConfirmAction>
  )
}

function EndOthers() {
  const api = useApi()
  const { session } = useSession()
  return (
    <ConfirmAction
      tone="plain"
      question="End all other sessions?"
      consequence={`${session.user.email} stays signed in here only. API keys keep working.`}
      confirm="End sessions"
      act={() => api.auth.sessions.delete()}
      options={{ success: 'All other sessions ended', changes: [['sessions']] }}
    >
      End all other sessions
    </ConfirmAction>
  )
}
