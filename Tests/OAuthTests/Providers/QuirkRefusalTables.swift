@testable import OAuth

private let oneOfTheCodes =
  "must be one of access_denied, authorization_pending, consent_required, expired_token, interaction_required, "
  + "invalid_client, invalid_grant, invalid_request, invalid_scope, invalid_target, login_required, server_error, "
  + "slow_down, temporarily_unavailable, unauthorized_client, unsupported_grant_type"

let quirkRefusals: [Refusal] = [
  .init(#""quirks": {"basic_raw": "yes"}"#, "quirks.basic_raw", "must be true or false"),
  .init(#""quirks": {"token_request": "xml"}"#, "quirks.token_request", "must be one of form, json, query"),
  .init(#""quirks": {"expires_in_unit": "h"}"#, "quirks.expires_in_unit", "must be one of s, ms"),
  .init(#""quirks": {"secret_on": ["login"]}"#, "quirks.secret_on", "must be a list of code, refresh, device"),
  .init(#""quirks": {"scope_param": ""}"#, "quirks.scope_param", "must be a name"),
  .init(
    #""quirks": {"error_aliases": {"a": "bad"}}"#, "quirks.error_aliases.a",
    oneOfTheCodes),
  .init(#""quirks": {"basic_charset": "utf-16"}"#, "quirks.basic_charset", "must be one of utf-8, latin1"),
  .init(
    #""quirks": {"field_aliases": {"id": "user"}}"#, "quirks.field_aliases.id",
    "must be one of access_token, token_type, expires_in, expires_at, refresh_token, refresh_token_expires_in, "
      + "id_token, scope, error, error_description, error_uri"),
  .init(#""quirks": {"field_aliases": {"": "scope"}}"#, "quirks.field_aliases", "must name each field"),
  .init(
    #""quirks": {"field_aliases": {"bearer": "access_token"}}"#, "quirks.field_aliases.bearer",
    "must end in token: what --verbose shows is cleared of secrets by their names"),
  .init(#""quirks": {"revocation": {"tokens": []}}"#, "quirks.revocation.tokens", "must name a token"),
  .init(
    #""quirks": {"revocation": {"body": "none"}}"#, "quirks.revocation.body", "sends no token unless auth is bearer"),
  .init(
    #""quirks": {"revocation": {"body": "none", "auth": "bearer"}}"#, "quirks.revocation",
    "authenticates by the access token: tokens must be [\"access\"]"),
  .init(
    #""quirks": {"issuer_aliases": ["https://a.example/{"]}"#, "quirks.issuer_aliases", "must be a list of issuers"),
  .init(
    #""quirks": {"assertion_audience": "par"}"#, "quirks.assertion_audience", "must be one of token, issuer, endpoint"),
  .init(#""quirks": {"scope_on": ["device"]}"#, "quirks.scope_on", "must be a list of code, refresh"),
  .init(#""quirks": {"device": {"grant_type": "a b"}}"#, "quirks.device.grant_type", "must be a name"),
  .init(
    #""quirks": {"device": {"field_aliases": {"link": "url"}}}"#, "quirks.device.field_aliases.link",
    "must be one of device_code, user_code, verification_uri, verification_uri_complete, expires_in, interval, message"),
  .init(
    #""quirks": {"device": {"field_aliases": {"": "interval"}}}"#, "quirks.device.field_aliases",
    "must name each field"),
  .init(
    #""quirks": {"device": {"status_errors": {"500": "slow_down"}}}"#, "quirks.device.status_errors.500",
    "must be a status from 400 to 499"),
  .init(
    #""quirks": {"device": {"status_errors": {"+40": "slow_down"}}}"#, "quirks.device.status_errors.+40",
    "must be a status from 400 to 499"),
  .init(
    #""quirks": {"device": {"status_errors": {"400": "wait"}}}"#, "quirks.device.status_errors.400", oneOfTheCodes),
  .init(
    #""quirks": {"introspection": {"method": "GET", "auth": "none"}}"#, "quirks.introspection.token_in",
    "must be query, path or header: a GET has no body"),
  .init(
    #""quirks": {"introspection": {"method": "GET", "token_in": "query"}}"#, "quirks.introspection.auth",
    "must be basic, id, bearer or none: a GET carries no secret"),
  .init(
    #""quirks": {"introspection": {"auth": "basic", "token_in": "header"}}"#, "quirks.introspection.token_in",
    "sends no token unless auth is bearer"),
  .init(#""quirks": {"introspection": {"scheme": "a b"}}"#, "quirks.introspection.scheme", "must be a name"),
  .init(#""quirks": {"userinfo": {"method": "PUT"}}"#, "quirks.userinfo.method", "must be one of GET, POST"),
  .init(
    #""quirks": {"userinfo": {"headers": {"DPoP": "x"}}}"#, "quirks.userinfo.headers.DPoP", "is set by oauthctl itself"),
]
