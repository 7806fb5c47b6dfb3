/** The way in: shown at whatever address one came to, so that one is there afterwards. */
import { Link } from 'wouter'
import { ApiFailure } from '../api/failure.ts'
import { ThemeSwitch } from '../shell/account-menu.tsx'
import { Mark } from '../shell/mark.tsx'
import { Form, TextField } from '../ui/forms/form.tsx'
import { useAttempt } from './attempt.ts'

export interface SignInFormProps {
  /** `organization` is the slug of one, for an address that several accounts have. */
  signIn: (email: string, password: string, organization?: string) => Promise<void>
  email?: string
}

/** What a refusal means here. */
const explained = (failure: ApiFailure): ApiFailure =>
  failure.code === 'invalid_credentials'
    ? new ApiFailure({ ...failure, message: 'The address and the password do not go together.' })
    : failure

export function SignInForm({ signIn, email = '' }: SignInFormProps) {
  const attempt = useAttempt(explained)
  const submit = (text: (name: string) => string, data: FormData) =>
    attempt.run(() => signIn(text('email'), String(data.get('password')), text('organization')))
  return (
    <Form action={attempt} onSubmit={submit} submit="Sign in">
      <TextField
        name="email"
        label="Email"
        type="email"
        autoComplete="username"
        defaultValue={email}
        required
        autoFocus={email === ''}
      />
      <TextField
        name="password"
        label="Password"
        type="password"
        autoComplete="current-password"
        data-focus={email === '' ? undefined : true}
        required
      />
      <details>
        <summary>Several accounts have your address?</summary>
        <TextField name="organization" label="Organization" hint="The slug of the organization to sign in to." />
      </details>
    </Form>
  )
}

export function SignInPage({ signIn }: SignInFormProps) {
  return (
    <main className="entrance">
      <div className="entrance-card">
        <header className="entrance-head">
          <Mark size={40} />
          <h1>Sign in to Troupe</h1>
          <p className="faint">The console of your agents: what they are, what they do, what they wait for.</p>
        </header>
        <SignInForm signIn={signIn} />
        <Link href="/forgot-password">Forgot your password?</Link>
        <footer className="entrance-foot">
          <p className="faint">
            The first account and its password were printed when the server first started. Programs use API keys
            instead: see the <a href="/docs">API reference</a>.
          </p>
          <ThemeSwitch />
        </footer>
      </div>
    </main>
  )
}
