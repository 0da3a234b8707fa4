"""A second collection beside the login keyring, as a person makes one in a keyring viewer; run with the session's environment.

    second_collection.py PASSWORD < items     items: lines of JSON with attributes, label, secret
    second_collection.py --unlock PASSWORD PATH
"""

import json
import sys

import dbus

INTERNAL = "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface"
bus = dbus.SessionBus()
root = bus.get_object("org.freedesktop.secrets", "/org/freedesktop/secrets")
service = dbus.Interface(root, "org.freedesktop.Secret.Service")
_, session = service.OpenSession("plain", dbus.String("", variant_level=1))


def value(text):
    return dbus.Struct((session, dbus.ByteArray(b""), dbus.ByteArray(text.encode()), "text/plain"), signature="oayays")


if sys.argv[1] == "--unlock":
    dbus.Interface(root, INTERNAL).UnlockWithMasterPassword(dbus.ObjectPath(sys.argv[3]), value(sys.argv[2]))
else:
    label = dbus.Dictionary({"org.freedesktop.Secret.Collection.Label": dbus.String("Other", variant_level=1)}, signature="sv")
    path = dbus.Interface(root, INTERNAL).CreateWithMasterPassword(label, value(sys.argv[1]))
    collection = dbus.Interface(bus.get_object("org.freedesktop.secrets", path), "org.freedesktop.Secret.Collection")
    for line in sys.stdin:
        item = json.loads(line)
        properties = dbus.Dictionary({
            "org.freedesktop.Secret.Item.Label": dbus.String(item["label"], variant_level=1),
            "org.freedesktop.Secret.Item.Attributes": dbus.Dictionary(item["attributes"], signature="ss", variant_level=1),
        }, signature="sv")
        collection.CreateItem(properties, value(item["secret"]), False)
    print(path)
