"""Links of video calls, made by Google Meet, Microsoft Teams or Zoom for sessions of classes. Owns
`meeting_services` and `meeting_requests`; emits no events.

A session asks for a link with `actions.request_link`. The worker has the service make it, and changes the
session, so that invitations with the link go out.
"""
