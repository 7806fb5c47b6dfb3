/** Google Workspace, as Google documents it. Source: requirement 4.8; contract 4, "Presets". */
import type { PresetDefinition } from './preset.ts'

const google = 'https://www.googleapis.com/auth'

export const googleWorkspace: PresetDefinition = {
  presetKey: 'google-workspace',
  name: 'Google Workspace',
  issuer: 'https://accounts.google.com',
  authorizationEndpoint: 'https://accounts.google.com/o/oauth2/v2/auth',
  tokenEndpoint: 'https://oauth2.googleapis.com/token',
  userinfoEndpoint: 'https://openidconnect.googleapis.com/v1/userinfo',
  apiBaseUrl: 'https://www.googleapis.com',
  // without these two Google gives a refresh token at the first consent only, or none at all
  authorizationParameters: { access_type: 'offline', prompt: 'consent' },
  scopes: [
    { name: 'openid', description: 'Know who the user is.' },
    { name: 'email', description: "See the address of the user's account." },
    { name: 'profile', description: "See the user's name and picture." },
    { name: `${google}/gmail.readonly`, description: 'Read mail and mail settings.' },
    { name: `${google}/gmail.send`, description: 'Send mail as the user.' },
    { name: `${google}/gmail.modify`, description: 'Read, write and send mail; delete none for good.' },
    { name: `${google}/calendar.readonly`, description: 'See calendars and their events.' },
    { name: `${google}/calendar.events`, description: 'See and change events of all calendars.' },
    { name: `${google}/drive.readonly`, description: 'See and download all files in Drive.' },
    { name: `${google}/drive.file`, description: 'See and change the files in Drive that are used with the client.' },
    { name: `${google}/documents`, description: 'See, change and delete documents.' },
    { name: `${google}/documents.readonly`, description: 'See documents.' },
    { name: `${google}/spreadsheets`, description: 'See, change and delete spreadsheets.' },
    { name: `${google}/spreadsheets.readonly`, description: 'See spreadsheets.' },
    { name: `${google}/contacts.readonly`, description: 'See contacts.' },
    { name: `${google}/directory.readonly`, description: "See the organization's directory." },
    { name: `${google}/tasks`, description: 'See, change and delete tasks.' },
  ],
  defaultScopes: [
    'openid',
    'email',
    'profile',
    `${google}/calendar.readonly`,
    `${google}/drive.readonly`,
    `${google}/gmail.readonly`,
  ],
  principalBinding: 'user',
  setupInstructions: [
    '1. Open https://console.cloud.google.com/ and choose or create a project of your organization.',
    '2. Under "APIs & Services", enable the APIs that Agents are to use: Gmail, Google Calendar, Google Drive.',
    '3. Under "Google Auth Platform", set up the consent screen with the audience "Internal", and add the default scopes of this preset under "Data access".',
    '4. Under "Clients", create an OAuth client of the type "Web application" with the redirect URI of this preset as an authorized redirect URI.',
    '5. Register the client id and the client secret here. Troupe asks Google whether it knows them before anything is stored.',
  ].join('\n'),
}
