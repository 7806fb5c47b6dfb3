/** Tokens of a runner pool. A secret is shown once. */
import { useState } from 'react'
import { useAction } from '../../../data/action.ts'
import { useApi } from '../../../data/context.ts'
import { usePages } from '../../../data/pages.ts'
import { Button } from '../../../ui/forms/button.tsx'
import { ConfirmAction } from '../../../ui/forms/confirm-action.tsx'
import { Section } from '../../../ui/page.tsx'
import { Empty } from '../../../ui/states.tsx'
import { DataTable } from '../../../ui/table.tsx'
import { Time, useNow } from '../../../ui/time.tsx'
import { EndingBadge } from '../ending-badge.tsx'
import { RotateDialog } from '../rotate-dialog.tsx'
import { SecretOnce } from '../secret-once.tsx'
import { StartRunner } from './runner-pools.tsx'

interface Token {
  id: string
  prefix: string | null
  origin: 'api' | 'configuration'
  status: 'active' | 'revoked'
  expiresAt: string | null
}

const nameOf = ({ prefix }: Pick<Token, 'prefix'>) => (prefix === null ? 'TROUPE_RUNNER_TOKEN' : `${prefix}…`)

export function RunnerTokens({ poolId }: { poolId: string }) {
  const api = useApi()
  const pool = api.v1['runner-pools']({ poolId })
  const [rotating, setRotating] = useState<Token>()
  const [secret, setSecret] = useState<string>()
  const tokens = usePages(['runner-pools', poolId, 'tokens'], (options, page) =>
    pool.tokens.get({ ...options, query: page }),
  )
  const create = useAction(() => pool.tokens.post({}), {
    success: ({ prefix }) => `${prefix}… created`,
    changes: [['runner-pools', poolId, 'tokens']],
    done: ({ secret }) => setSecret(secret),
  })
  return (
    <Section
      title="Tokens"
      actions={
        <Button
          needs="organizations:update"
          icon="plus"
          tone="primary"
          pending={create.pending}
          onClick={() => create.run()}
        >
          New token
        </Button>
      }
    >
      <DataTable
        label="tokens of the pool"
        pages={tokens}
        keyOf={({ id }) => id}
        columns={[
          { title: 'Prefix', cell: (token) => <code>{nameOf(token)}</code> },
          { title: 'Status', cell: (token) => <EndingBadge {...token} /> },
          { title: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
          { title: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
          { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
          {
            title: 'Actions',
            align: 'end',
            cell: (token) => <Actions poolId={poolId} token={token} onRotate={() => setRotating(token)} />,
          },
        ]}
        empty={
          <Empty icon="key" title="No tokens yet">
            Runners register with a token. Create one per location.
          </Empty>
        }
      />
      {rotating && (
        <Rotate
          poolId={poolId}
          token={rotating}
          onClose={() => setRotating(undefined)}
          onDone={(made) => {
            setRotating(undefined)
            setSecret(made)
          }}
        />
      )}
      {secret !== undefined && (
        <SecretOnce title="New runner token" label="secret" secret={secret} onDone={() => setSecret(undefined)}>
          <StartRunner />
        </SecretOnce>
      )}
    </Section>
  )
}

function Actions({ poolId, token, onRotate }: { poolId: string; token: Token; onRotate: () => void }) {
  const api = useApi()
  const now = useNow()
  if (token.origin === 'configuration') return <span className="faint">set in configuration</span>
  const isUsable = token.status === 'active' && (token.expiresAt === null || Date.parse(token.expiresAt) > now)
  return (
    <span className="row">
      {isUsable && (
        <Button
          needs="organizations:update"
          small
          tone="quiet"
          aria-label={`Rotate ${nameOf(token)}`}
          onClick={onRotate}
        >
          Rotate
        </Button>
      )}
      {token.status === 'active' && (
        <ConfirmAction
          needs="organizations:update"
          small
          tone="quiet"
          question={`Revoke ${nameOf(token)}?`}
          consequence="Its runners lose access, and their runs return to the queue. This cannot be undone."
          aria-label={`Revoke ${nameOf(token)}`}
          act={() => api.v1['runner-pools']({ poolId }).tokens({ tokenId: token.id }).revoke.post()}
          options={{ success: 'Revoked', changes: [['runner-pools', poolId, 'tokens']] }}
        >
          Revoke
        </ConfirmAction>
      )}
    </span>
  )
}

interface RotateProps {
  poolId: string
  token: Token
  onClose: () => void
  /** Receives the secret of the new token. */
  onDone: (secret: string) => void
}

function Rotate({ poolId, token, onClose, onDone }: RotateProps) {
  const api = useApi()
  const rotate = useAction(
    (overlapSeconds: number) =>
      api.v1['runner-pools']({ poolId }).tokens({ tokenId: token.id }).rotate.post({ overlapSeconds }),
    {
      success: 'Token rotated',
      changes: [['runner-pools', poolId, 'tokens']],
      quiet: true,
      done: ({ secret }) => onDone(secret),
    },
  )
  return (
    <RotateDialog
      name={nameOf(token)}
      action={rotate}
      submit="Rotate token"
      usual={3_600}
      hint="Runners can lease with both tokens until then. Runs leased with the old token are completed."
      onRotate={rotate.run}
      onClose={onClose}
    />
  )
}
