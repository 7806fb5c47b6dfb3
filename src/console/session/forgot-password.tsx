/** Requests a password reset by mail. The response is the same for every address. */
import { useState } from 'react'
import { Link } from 'wouter'
import { sent } from '../api/client.ts'
import { Form, TextField } from '../ui/forms/form.tsx'
import { useAttempt } from './attempt.ts'
import { apiOf, EntrancePage, type EntranceParts } from './entrance.tsx'

export function ForgotPassword(parts: EntranceParts) {
  const attempt = useAttempt()
  const [requested, setRequested] = useState<{ email: string; mail: boolean }>()
  const ask = (text: (name: string) => string) =>
    attempt.run(async () => {
      const email = text('email')
      const { data } = await sent(apiOf(parts).auth['password-resets'].post({ email }))
      setRequested({ email, ...data })
    })
  if (requested) {
    return (
      <EntrancePage
        title={requested.mail ? 'Check your mail' : 'This server sends no mail'}
        about={
          requested.mail
            ? `If ${requested.email} is the verified address of an account, a mail with a link is on its way. The link expires in an hour.`
            : 'This server cannot send password resets by mail. Ask an owner of your organization or the server’s administrator to invite you again.'
        }
      >
        <Link href="/">Back to sign in</Link>
      </EntrancePage>
    )
  }
  return (
    <EntrancePage title="Forgot your password?" about="We send a link to set a new password to your verified address.">
      <Form action={attempt} onSubmit={ask} submit="Send the link">
        <TextField name="email" label="Email" type="email" autoComplete="username" required autoFocus />
      </Form>
      <Link href="/">Back to sign in</Link>
    </EntrancePage>
  )
}
