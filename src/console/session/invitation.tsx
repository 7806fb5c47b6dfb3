/** Accepting an invitation: `/invitation#<token>`. The token is behind the `#`, so that it stays in the browser. */
import { useState } from 'react'
import { useLocation } from 'wouter'
import { createApi, sent } from '../api/client.ts'
import { type ApiFailure, failureOf } from '../api/failure.ts'
import type { Fetch } from '../api/transport.ts'
import { Mark } from '../shell/mark.tsx'
import { Form, TextField } from '../ui/form.tsx'
import type { Gatekeeper } from './gatekeeper.ts'

export function Invitation({ gatekeeper, ...parts }: { gatekeeper: Gatekeeper; origin: string; fetch: Fetch }) {
  const [, navigate] = useLocation()
  const [pending, setPending] = useState(false)
  const [failure, setFailure] = useState<ApiFailure>()
  const [token] = useState(() => location.hash.slice(1))
  const accept = async (text: (name: string) => string, form: FormData) => {
    setPending(true)
    setFailure(undefined)
    try {
      const body = { token: text('token'), name: text('name'), password: String(form.get('password')) }
      const { data } = await sent(createApi({ ...parts, gate: gatekeeper }).auth.invitations.post(body))
      gatekeeper.begin(data)
      navigate('/', { replace: true })
    } catch (thrown) {
      setFailure(failureOf(thrown))
      setPending(false)
    }
  }
  return (
    <main className="entrance">
      <div className="entrance-card">
        <header className="entrance-head">
          <Mark size={40} />
          <h1>Join Troupe</h1>
          <p className="faint">Somebody has invited you. Choose what you are called, and a password.</p>
        </header>
        <Form action={{ pending, failure, issues: failure?.issues ?? [] }} onSubmit={accept} submit="Join">
          <TextField name="token" label="Invitation" defaultValue={token} required />
          <TextField name="name" label="Your name" autoComplete="name" required />
          <TextField
            name="password"
            label="Password"
            type="password"
            autoComplete="new-password"
            minLength={8}
            hint="At least 8 characters."
            required
          />
        </Form>
      </div>
    </main>
  )
}
