/** The status of an answer: the one that its operation documents, unless it documents several, or an error occurred. */
import { expect, test } from 'bun:test'
import { Elysia, t } from 'elysia'
import { conflict } from '../../../src/platform/http/answers/errors.ts'
import { testApp } from './fixture.ts'

const { guarded } = testApp()
const Said = t.Object({ data: t.String() })
const said = { data: 'said' }
const area = new Elysia({ name: 'statuses' })
  .use(guarded)
  .get('/plain', () => said, { publicAccess: true, response: { 200: Said } })
  .get('/silent', () => said, { publicAccess: true })
  .post('/created', () => said, { publicAccess: true, resource: null, response: { 201: Said } })
  .post('/accepted', async () => said, { publicAccess: true, resource: null, response: { 202: Said } })
  .delete('/deleted', () => {}, { publicAccess: true, resource: null, response: { 204: t.Void() } })
  .post('/either', () => said, { publicAccess: true, resource: null, response: { 200: Said, 202: Said } })
  .post(
    '/later',
    ({ set }) => {
      set.status = 202
      return said
    },
    { publicAccess: true, resource: null, response: { 200: Said, 202: Said } },
  )
  .post(
    '/refused',
    (): typeof said => {
      throw conflict('off')
    },
    { publicAccess: true, resource: null, response: { 201: Said } },
  )
const { app } = testApp({ guarded, areas: [area] })

test.each([
  ['GET', '/plain', 200, 'by itself'],
  ['GET', '/silent', 200, 'where none is documented'],
  ['POST', '/created', 201, 'as documented'],
  ['POST', '/accepted', 202, 'as documented'],
  ['DELETE', '/deleted', 204, 'as documented'],
  ['POST', '/either', 200, 'where several are documented, and none is said'],
  ['POST', '/later', 202, 'where several are documented, and this one is said'],
  ['POST', '/refused', 409, 'when something is thrown'],
])('%s %s is %i: %s', async (method, path, status) => {
  const answer = await app.handle(new Request(`http://localhost${path}`, { method }))
  expect(answer.status).toBe(status)
})
