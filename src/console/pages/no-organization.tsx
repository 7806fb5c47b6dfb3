/** Shown to a user without an organization. */
import { createApi, sent } from '../api/client.ts'
import type { Fetch, Gate } from '../api/transport.ts'
import { useAttempt } from '../session/attempt.ts'
import { useSession } from '../session/session.ts'
import { Button } from '../ui/forms/button.tsx'
import { Form } from '../ui/forms/form.tsx'
import { NameAndSlug } from '../ui/forms/name-and-slug.tsx'

export function NoOrganization(parts: { gate: Gate; origin: string; fetch: Fetch }) {
  const { refresh, signOut } = useSession()
  const attempt = useAttempt()
  const create = (text: (name: string) => string) =>
    attempt.run(async () => {
      await sent(createApi(parts).v1.organizations.post({ name: text('name'), slug: text('slug') }))
      await refresh()
    })
  return (
    <main className="entrance">
      <div className="entrance-card">
        <header className="entrance-head">
          <h1>Create an organization</h1>
          <p className="faint">You do not belong to an organization yet. Create one, or ask an owner to invite you.</p>
        </header>
        <Form
          action={attempt}
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
