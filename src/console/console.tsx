/** The console: who is signed in, which organization is looked at, which page. */
import { Component, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { Link, Redirect, Route, Router, type RouterOptions, Switch, useLocation, useParams } from 'wouter'
import { createApi } from './api/client.ts'
import { createTransport, type Fetch } from './api/transport.ts'
import { AccessProvider } from './data/context.ts'
import { createQueryClient, refresh } from './data/queries.ts'
import { NoOrganization } from './pages/no-organization.tsx'
import { at, placeIn } from './places.ts'
import { routes } from './routes.tsx'
import { type EntranceParts, useSessionStatus } from './session/entrance.tsx'
import { ForgotPassword } from './session/forgot-password.tsx'
import { Gatekeeper } from './session/gatekeeper.ts'
import { Invitation } from './session/invitation.tsx'
import { PasswordReset } from './session/password-reset.tsx'
import { SessionContext, useSession } from './session/session.ts'
import { SignInForm, type SignInFormProps, SignInPage } from './session/sign-in.tsx'
import { UnverifiedAddress } from './session/unverified.tsx'
import { Verification } from './session/verification.tsx'
import { Shell } from './shell/shell.tsx'
import { Button } from './ui/forms/button.tsx'
import { Dialog } from './ui/forms/dialog.tsx'
import { Empty, Loading, Notice } from './ui/states.tsx'
import { ToastsProvider } from './ui/toasts.tsx'

export interface ConsoleProps {
  /** Where the API is. */
  origin: string
  fetch: Fetch
  /** Where the address is kept; in the browser's own bar unless given. */
  router?: RouterOptions
}

export function Console({ origin, fetch, router = {} }: ConsoleProps) {
  const [gatekeeper] = useState(() => new Gatekeeper({ origin, fetch }))
  useEffect(() => void gatekeeper.check(), [gatekeeper])
  return (
    <Router {...router}>
      <ToastsProvider>
        <Switch>
          {entrances.map(([path, Page]) => (
            <Route key={path} path={path}>
              <Page gatekeeper={gatekeeper} origin={origin} fetch={fetch} />
            </Route>
          ))}
          <Route>
            <Entrance gatekeeper={gatekeeper} origin={origin} fetch={fetch} />
          </Route>
        </Switch>
      </ToastsProvider>
    </Router>
  )
}

/** Pages that one comes to by a link, signed in or not. */
const entrances = [
  ['/invitation', Invitation],
  ['/forgot-password', ForgotPassword],
  ['/password-reset', PasswordReset],
  ['/verification', Verification],
] as const

/** Lets those in who are signed in; the address stays as it is meanwhile. */
function Entrance({ gatekeeper, origin, fetch }: EntranceParts) {
  const status = useSessionStatus(gatekeeper)
  const signIn: SignInFormProps['signIn'] = (...given) => gatekeeper.signIn(...given)

  if (status.is === 'unknown') return <Loading label="Loading the console" rows={0} />
  if (status.is === 'signedOut') return <SignInPage signIn={signIn} />
  if (status.is === 'unreachable')
    return (
      <main className="entrance">
        <Notice
          icon="warning"
          title="The server does not answer"
          urgent
          action={<Button onClick={() => void gatekeeper.check()}>Try again</Button>}
        />
      </main>
    )

  const { session, over } = status
  const signedIn = {
    session,
    refresh: async () => void (await gatekeeper.check()),
    signOut: () => gatekeeper.signOut(),
  }
  return (
    <SessionContext.Provider value={signedIn}>
      {/* another user begins anew; the same one finds everything as it was */}
      <Organizations key={session.user.id} gate={gatekeeper} over={over} origin={origin} fetch={fetch} />
      <Dialog title="Your session has ended" open={over}>
        <div className="stack">
          <p>Sign in again to go on where you are.</p>
          <SignInForm signIn={signIn} email={session.user.email} />
        </div>
      </Dialog>
    </SessionContext.Provider>
  )
}

interface OrganizationsProps {
  gate: Gatekeeper
  over: boolean
  origin: string
  fetch: Fetch
}

function Organizations(parts: OrganizationsProps) {
  const { session } = useSession()
  const [path] = useLocation()
  const place = placeIn(path)
  const [first] = session.organizations
  if (!first) return <NoOrganization {...parts} />
  if (!place) {
    const billing = /^\/(?:billing(?:\/\w+)?|pricing)$/.test(path)
    const outcome = path.startsWith('/billing/') ? `?outcome=${path.slice('/billing/'.length)}` : ''
    const home = { organization: first.slug }
    return <Redirect replace to={billing ? at(home, 'settings', 'billing') + outcome : at(home)} />
  }
  const organization = session.organizations.find(
    ({ id, slug }) => slug === place.organization || id === place.organization,
  )
  if (!organization) {
    return (
      <main className="entrance">
        <Empty
          title="There is nothing here"
          action={<Link href={at({ organization: first.slug })}>Go to {first.name}</Link>}
        >
          You belong to no organization of this address.
        </Empty>
      </main>
    )
  }
  return <Organization key={organization.id} id={organization.id} {...parts} />
}

/** One organization: its client, what was read of it, and its pages. */
function Organization({ id, gate, over, origin, fetch }: OrganizationsProps & { id: string }) {
  const [path] = useLocation()
  const access = useMemo(() => {
    const parts = { origin, fetch, gate, organization: id }
    return { api: createApi(parts), queries: createQueryClient(), origin, fetch: createTransport(parts) }
  }, [id, gate, origin, fetch])

  // what was refused while the session was over is asked for again
  const wasOver = useRef(over)
  useEffect(() => {
    if (wasOver.current && !over) void refresh(access.queries)
    wasOver.current = over
  }, [over, access])

  return (
    <AccessProvider access={access}>
      <Shell place={placeIn(path)!}>
        <UnverifiedAddress />
        <Broken key={path}>
          <Suspense fallback={<Loading />}>
            <Pages />
          </Suspense>
        </Broken>
      </Shell>
    </AccessProvider>
  )
}

function Pages() {
  return (
    <Switch>
      {routes.map(({ path, page: Page }) => (
        <Route key={path} path={path}>
          <WithIds>
            <Page />
          </WithIds>
        </Route>
      ))}
      <Route>
        <NothingHere />
      </Route>
    </Switch>
  )
}

const NothingHere = () => <Empty title="There is nothing here">The console has no page at this address.</Empty>

/** What an id in an address may look like: nothing that could be taken for a path. */
const idForm = /^(?!\.+$)[\w.~:@-]{1,100}$/

/** Addresses come from outside: what is no id reaches no page. */
function WithIds({ children }: { children: ReactNode }) {
  const params: Record<string, string | undefined> = useParams()
  // besides the names there are places, and the rest of a wider route
  const named = Object.entries(params).filter(([name]) => /^[a-z]/i.test(name))
  const valid = named.every(([, value]) => value === undefined || idForm.test(value))
  return valid ? children : <NothingHere />
}

/** A page that breaks takes nothing else with it. */
class Broken extends Component<{ children: ReactNode }, { error: unknown }> {
  override state = { error: undefined as unknown }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render() {
    if (this.state.error === undefined) return this.props.children
    return (
      <Notice
        icon="warning"
        title="This page broke"
        urgent
        action={<Button onClick={() => location.reload()}>Load it again</Button>}
      >
        <p>{this.state.error instanceof Error ? this.state.error.message : 'For no known reason.'}</p>
      </Notice>
    )
  }
}
