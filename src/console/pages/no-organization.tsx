/** For a user who belongs nowhere (any more): begin an organization. */
import { useState } from 'react'
import { createApi, sent } from '../api/client.ts'
import { type ApiFailure, failureOf } from '../api/failure.ts'
import type { Fetch, Gate } from '../api/transport.ts'
import { useSession } from '../session/session.ts'
import { Button } from '../ui/button.tsx'
import { Form } from '../ui/form.tsx'
import { NameAndSlug } from '../ui/name-and-slug.tsx'

export function NoOrganization(parts: { gate: Gate; origin: string; fetch: Fetch }) {
  const { refresh, signOut } = useSession()
  const [pending, setPending] = useState(false)
  const [failure, setFailure] = useState<ApiFailure>()
  const create = async (text: (name: string) => string) => {
    setPending(true)
    setFailure(undefined)
    try {
      await sent(createApi(parts).v1.organizations.post({ name: text('name'), slug: text('slug') }))
      await refresh()
    } catch (thrown) {
      setFailure(failureOf(thrown))
    }
    setPending(false)
  }
  return (
    <main className="entrance">
      <div className="entrance-card">
        <header className="entrance-head">
          <h1>Begin an organization</h1>
          <p className="faint">You belong to none yet. Make one, or ask somebody to add you to theirs.</p>
        </header>
        <Form
          action={{ pending, failure, issues: failure?.issues ?? [] }}
          onSubmit={create}
          submit="Create"
          beside={
            <Button tone="quiet" onClick={() => void signOut()}>
              Sign out
            </Button>
          }
        >
          <NameAndSlug hint="In addresses: lower-case letters, digits and hyphens." />
        </Form>
      </div>
    </main>
  )
}
