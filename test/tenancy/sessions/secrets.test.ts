import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { api } from '../../support/client.ts'
import { openTroupe, ownerEmail, ownerPassword } from '../../support/troupe.ts'
import { browserOf, invite, signIn, trySignIn } from './browser.ts'

/** Everything in the store, as text. */
function contents(file: string): string {
  const database = new Database(file, { readonly: true })
  const tables = database.query<{ name: string }, []>(`select name from sqlite_schema where type = 'table'`).all()
  const rows = tables.map(({ name }) => `${name}: ${JSON.stringify(database.query(`select * from "${name}"`).all())}`)
  database.close()
  return rows.join('\n')
}

test('passwords and tokens appear in no row of the store and in no line of the log', async () => {
  const troupe = await openTroupe({ environment: { TROUPE_RUNNER: 'none' }, logLevel: 'debug' })
  try {
    const secrets = {
      invited: 'the password of the invited',
      changed: 'the password after that',
      wrong: 'the password of nobody',
      badLength: 'short',
    }
    const pending = await invite(troupe.owner, 'default', 'pending@example.com')
    const { token } = await invite(troupe.owner, 'default', 'invited@example.com')
    const acceptance = { token, name: 'Invited', password: secrets.invited }
    const browser = browserOf(troupe, await api(troupe.url).post('/api/auth/invitations', acceptance))
    await api(troupe.url).post('/api/auth/invitations', acceptance)
    await browser.post('/api/auth/password', { current: secrets.wrong, new: secrets.changed })
    await browser.post('/api/auth/password', { current: secrets.invited, new: secrets.badLength })
    await browser.post('/api/auth/password', { current: secrets.invited, new: secrets.changed })
    await trySignIn(troupe, ownerEmail, secrets.wrong)
    const last = await signIn(troupe, 'invited@example.com', secrets.changed)
    await signIn(troupe)

    const hidden = [
      ...Object.values(secrets).filter((secret) => secret !== 'short'),
      ownerPassword,
      token,
      pending.token,
      ...[browser, last].flatMap(({ cookie, csrfToken }) => [cookie.split('=')[1]!, csrfToken]),
    ]
    const stored = contents(troupe.file)
    // the search itself works
    expect(stored).toContain('invited@example.com')
    const logged = JSON.stringify(troupe.lines)
    expect(logged).toContain('/api/auth/invitations')
    for (const secret of hidden) {
      expect(stored).not.toContain(secret)
      expect(logged).not.toContain(secret)
    }
  } finally {
    await troupe.stop()
  }
})
